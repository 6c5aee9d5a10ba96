import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideAddresses } from '../../../src/cli/messages/hide-addresses.ts';
import { anyAddress } from '../../support/addresses.ts';
import { runs } from '../../support/tier.ts';

// R49
test('hideAddresses removes every address from a text', () => {
  fc.assert(
    fc.property(anyAddress, fc.constantFrom('%', "'%'", '"%"', '(%)', '--email=% no', 'is: % .'), (address, around) => {
      const local = address.slice(0, address.lastIndexOf('@'));
      expect(hideAddresses(around.replace('%', () => address))).not.toContain(local.length > 3 ? local : address);
    }),
    runs(500, 5000),
  );
  expect(hideAddresses("error: 'ada@x.example' and --email=bob@x.example")).toBe(
    "error: '[address]' and --email=[address]",
  );
  expect(hideAddresses('request victim.person=40example.com, or victim%40example.com')).toBe(
    'request [address], or [address]',
  );
  expect(hideAddresses('add --max=4000')).toBe('add --max=4000');
});
