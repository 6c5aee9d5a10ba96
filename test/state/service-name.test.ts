import { expect, test } from 'vitest';
import { serviceName } from '../../src/state/service-name.ts';

test.each([
  ['http://localhost:4010', 'http://127.0.0.1:4010'],
  ['http://api.localhost:4010/v2', 'http://127.0.0.1:4010'],
  ['http://[::1]:4010/', 'http://127.0.0.1:4010'],
  ['http://127.0.0.2', 'http://127.0.0.1'],
  ['https://API.example.com/v2', 'https://api.example.com'],
  ['https://127.example.com', 'https://127.example.com'],
  ['sandbox', 'sandbox'],
])('calls the service at %s %s', (address, name) => {
  expect(serviceName(address)).toBe(name);
});
