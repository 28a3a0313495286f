import { StatusError } from '@quartermaster/kernel';
import type { Identity } from './authentication.ts';
import { callerKey } from './call-limits.ts';

export interface StreamLimitOptions {
  /** Of one caller at a time. */
  readonly most: number;
  /** Of one address that callers come from who are not known. Default: as many. */
  readonly mostUnknown?: number | undefined;
  /** The setting that says so, for messages; undefined where none does. */
  readonly setting?: string | undefined;
}

/** How many streams each caller may have open: of all servers that share this. Who is known is counted by name, and who is not by address. */
export class StreamLimits {
  readonly #options: StreamLimitOptions;
  readonly #open = new Map<string, number>(); // caller -> its streams

  constructor(options: StreamLimitOptions) {
    this.#options = options;
  }

  /** Counts one more. To be ended once, by what it returns. */
  opened(identity: Identity, peer: string): () => void {
    const { setting, mostUnknown = this.#options.most } = this.#options;
    const most = identity.kind === 'anonymous' ? mostUnknown : this.#options.most;
    const key = callerKey(identity, peer);
    const open = this.#open.get(key) ?? 0;
    if (open >= most) {
      const name = identity.kind === 'anonymous' ? key : identity.name;
      const raised = setting === undefined ? '' : `, or have ${setting} raised`;
      throw new StatusError(
        'resource_exhausted',
        `${name} has ${most} streams open, which is as many as it may: end one of them first${raised}`,
      );
    }
    this.#open.set(key, open + 1);
    return () => {
      const left = (this.#open.get(key) ?? 0) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }
}
