import type { Option } from 'commander';
import type { Output } from '../text/output.ts';
import type { ServerFlags } from './server-flags.ts';
import type { ServerName } from './servers.ts';

/** What the commands do with resources. */
export type VerbName = 'get' | 'describe' | 'explain' | 'create' | 'edit' | 'delete' | 'close';

/** Something that a server has and that commands show or change. */
export interface Resource {
  readonly server: ServerName;
  /** As it is typed where several may be meant: `get nodes`. */
  readonly plural: string;
  /** As it is typed where one is meant: `describe node`. */
  readonly singular: string;
  /** Other ways to type it. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly verbs: Readonly<Partial<Record<VerbName, Verb>>>;
  /** Loads what lists its names, for the completion of a command line. Absent where it has none. */
  readonly names?: (() => Promise<ListNames>) | undefined;
  /** The same for values of the options of its verbs: attribute of the option -> what lists them. Those of one server are not asked of another. */
  readonly optionValues?: Readonly<Record<string, () => Promise<ListNames>>> | undefined;
}

/** The names that begin with the prefix, and perhaps others. */
export type ListNames = (prefix: string, flags: ServerFlags) => Promise<readonly string[]>;

/** One thing that can be done with a resource. */
export interface Verb<Flags = never> {
  /** What is typed after its name: `[name...]`. */
  readonly args?: string | undefined;
  /** That of the resource unless given. */
  readonly summary?: string | undefined;
  /** Besides those by which the server is found. */
  readonly options: readonly Option[];
  /** Ends well when a person interrupts it. What does not is ended with the process. */
  readonly endsWhenInterrupted?: boolean | undefined;
  /** Loads what does it: command lines are understood before that is needed. */
  readonly load: () => Promise<Ask<Flags>>;
}

/** Asks the server that the flags name. The signal aborts when a person interrupts it or nobody reads its output any more. */
export type Ask<Flags> = (args: readonly string[], flags: Flags, output: Output, signal: AbortSignal) => Promise<void>;
