import { loadJq } from 'jq-wasm/inline';

/** What jq is asked: texts of JSON, a program, and the flags of its command line. */
export interface Question {
  json: string;
  program: string;
  flags: string[];
}

export interface Reply {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** jq itself, compiled to WebAssembly and embedded in the code. While it runs, its thread does nothing else. */
export const openEngine = async (): Promise<(question: Question) => Reply> => {
  const jq = await loadJq();
  return ({ json, program, flags }) => {
    const { stdout, stderr, exitCode } = jq.raw(json, program, flags);
    return { stdout, stderr, exitCode };
  };
};
