/** Makes a value on first use, and keeps it. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let result: { value: Value } | undefined;
  return () => {
    result ??= { value: make() };
    return result.value;
  };
};

/** Makes the value of each key on first use, and keeps it. */
export const onceEach = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const values = new Map<Key, Value>();
  return (key) => {
    if (!values.has(key)) values.set(key, make(key));
    return values.get(key)!;
  };
};
