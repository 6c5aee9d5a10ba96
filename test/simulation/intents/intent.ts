import type { Dice } from '../dice.ts';
import type { Ended, Machine, Process } from '../machine.ts';
import type { Scene } from '../scene.ts';

/** Something that a user wants, and how to tell whether it is so. */
export interface Intent {
  readonly argv: readonly string[];
  /** What is missing although a command said that all is done. Nothing if all is there. */
  missing(): string | undefined | Promise<string | undefined>;
  /** Lets others change what it has made, once no process works on it any more. */
  release?(): void;
  /** Works on a record that was made for it, so it makes no sense once the service is as it was before that. */
  needsRecord?: boolean;
  /** Whether another intent has changed what it did, so that nobody would run it again. */
  isOver?(): boolean;
  /** A person undoes at the website what it did. Missing where the website can't, or where others count on it, too. */
  undo?(): Promise<void>;
  /** Exit codes other than 0 after which the user has no reason to try again. */
  settles?(ended: Ended): boolean;
  /** What is wrong in the end, although no fault happens any more. */
  wrongInTheEnd?(last: Ended | undefined): string | undefined | Promise<string | undefined>;
  /** What was sent too often, if so many kills, lost replies and disk errors happened to its processes. */
  sentTooOften?(mishaps: number): string | undefined;
  /** Sees each end of a process, also of a killed one. */
  onEnd?(ended: Ended, process: Process): void;
  /** May be unsure for what another command has done. */
  isUnsure?: boolean;
  /** Uses the stored login of its machine, not a token in the environment. */
  isLoggedIn?: boolean;
  /** Goes on without a lock if it can't have one (R66). */
  needsNoLock?: boolean;
  /** Each process sends its write once (R26). */
  isSentOnce?: boolean;
  /** No two processes may send the same run at once (R37). */
  isRun?: boolean;
  /** With shared state, any machine can go on. */
  isShared?: boolean;
  /** Its output must not name an address (R49). */
  hidesAddresses?: boolean;
}

export interface Kind {
  /** The commands of `sched schema` that it runs. */
  commands: readonly string[];
  /** How often it is chosen. */
  weight: number;
  /** Undefined if there is nothing to do it to. */
  make(scene: Scene, dice: Dice, machine: Machine): Intent | undefined | Promise<Intent | undefined>;
}

/** Flags of every command: nobody is asked, and the output is for programs. */
export const common = ['--json', '--yes'];
