import { loadJq } from 'jq-wasm/inline';

/** Input for jq: JSON texts, a program and command-line flags. */
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

/** Loads jq, compiled to WebAssembly and bundled with the code. Running a program blocks the thread. */
export const openEngine = async (): Promise<(question: Question) => Reply> => {
  const jq = await loadJq();
  return ({ json, program, flags }) => {
    const { stdout, stderr, exitCode } = jq.raw(json, program, flags);
    return { stdout, stderr, exitCode };
  };
};
