/** Makes a value on first use, and keeps it. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let result: { value: Value } | undefined;
  return () => {
    result ??= { value: make() };
    return result.value;
  };
};

/** Makes the value of each key on first use, and keeps it. Above a number, all are forgotten: others may choose the keys. */
export const onceEach = <Key, Value>(
  make: (key: Key) => Value,
  most = Number.POSITIVE_INFINITY,
): ((key: Key) => Value) => {
  const values = new Map<Key, Value>();
  return (key) => {
    if (!values.has(key)) {
      if (values.size >= most) values.clear();
      values.set(key, make(key));
    }
    return values.get(key)!;
  };
};
