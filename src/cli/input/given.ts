/** A value as a call has it: text of a command line or a file, or a value in JSON. */
export type Raw = string | number | boolean;

/** What a call gives: values of flags and arguments, by name. Only those that are there. */
export type Given = Readonly<Record<string, Raw | readonly Raw[] | undefined>>;
