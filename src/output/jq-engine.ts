import { loadJq } from 'jq-wasm/inline';

/** Input for jq: JSON texts, a program and command-line flags. */
export interface JqInput {
  json: string;
  program: string;
  flags: string[];
}

export interface JqOutput {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Loads jq, compiled to WebAssembly and bundled with the code. Running a program blocks the thread. */
export const openEngine = async (): Promise<(question: JqInput) => JqOutput> => {
  const jq = await loadJq();
  return ({ json, program, flags }) => {
    try {
      const { stdout, stderr, exitCode } = jq.raw(json, program, flags);
      return { stdout, stderr, exitCode };
    } catch (error) {
      // jq aborts if it can't get more memory, and a result may exceed the longest string. The engine can't be used
      // again after that, and the command ends.
      if (!['RuntimeError', 'RangeError'].includes((error as Error).name)) throw error;
      return { stdout: '', stderr: 'jq: error: the program needs too much memory', exitCode: 5 };
    }
  };
};
