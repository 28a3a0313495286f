import { messageOf, StatusError } from '@quartermaster/kernel';
import { isFailure, type KubeReader, type KubeWriter, kinds } from '@quartermaster/kube';
import * as z from 'zod';
import { emptyFuse, type FuseState } from './removal-fuse.ts';

const objects = z.array(z.object({ name: z.string(), uid: z.string() })).readonly();
const time = z.number().int();
const schema = z.object({
  removals: z
    .array(z.object({ at: time, count: z.number().int().positive(), uids: z.array(z.string()).readonly().default([]) }))
    .readonly(),
  waiting: z
    .object({
      ...{ id: z.string(), since: time, reason: z.string(), objects, more: z.number().int().nonnegative() },
      isTooMany: z.boolean().optional(),
    })
    .optional(),
  approval: z.object({ id: z.string(), by: z.string(), at: time, objects, more: z.number().int().nonnegative().optional() }).optional(),
});

export const fuseStateText = (state: FuseState): string => JSON.stringify(state);

/** Throws when it is not what `fuseStateText` made: what waits is unknown then, which is not the same as nothing. */
export function parseFuseState(text: string, where: string): FuseState {
  try {
    return schema.parse(JSON.parse(text));
  } catch (thrown) {
    throw new StatusError(
      'failed_precondition',
      `${where} is damaged, and nothing is removed until it is repaired or deleted: ${messageOf(thrown)}`,
    );
  }
}

/** Where the state of a fuse survives the process. */
export interface FuseStore {
  read(signal?: AbortSignal): Promise<FuseState>;
  /** Replaces what is stored by what `change` makes of it, and gives that. `change` is called again when somebody else was faster; what it throws changes nothing. */
  change(change: (state: FuseState) => FuseState, options?: FuseChange): Promise<FuseState>;
}

interface FuseChange {
  /** That of a term, for what only the leader may write. */
  readonly writer?: Pick<KubeWriter, 'create' | 'replace'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** For tests: what is in it goes with it. */
export class MemoryFuseStore implements FuseStore {
  #text = fuseStateText(emptyFuse);

  async read(): Promise<FuseState> {
    return parseFuseState(this.#text, 'the state of the fuse');
  }

  async change(change: (state: FuseState) => FuseState): Promise<FuseState> {
    const changed = change(await this.read());
    this.#text = fuseStateText(changed);
    return changed;
  }
}

interface ConfigMapFuseOptions {
  readonly namespace: string;
  readonly name: string;
  /** Which entry of it. */
  readonly fuse: string;
}

const maxTries = 5;

/** An entry of a ConfigMap. The resourceVersion makes each change a compare-and-set, so that an approval and the leader's own writes do not undo each other. */
export class ConfigMapFuseStore implements FuseStore {
  readonly #client: Pick<KubeReader, 'find'> & Pick<KubeWriter, 'create' | 'replace'>;
  readonly #options: ConfigMapFuseOptions;

  constructor(client: Pick<KubeReader, 'find'> & Pick<KubeWriter, 'create' | 'replace'>, options: ConfigMapFuseOptions) {
    this.#client = client;
    this.#options = options;
  }

  async read(signal?: AbortSignal): Promise<FuseState> {
    return (await this.#find(signal)).state;
  }

  async change(change: (state: FuseState) => FuseState, { writer = this.#client, signal }: FuseChange = {}): Promise<FuseState> {
    const { namespace, name, fuse } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const { stored, state } = await this.#find(signal);
      const changed = change(state);
      const text = fuseStateText(changed);
      if (text === fuseStateText(state)) return changed;
      const data = { ...stored?.data, [fuse]: text };
      try {
        if (stored === undefined) await writer.create(kinds.configMaps, { metadata: { namespace, name }, data }, { signal });
        else await writer.replace(kinds.configMaps, { ...stored, data }, { signal });
        return changed;
      } catch (cause) {
        if (!isFailure(cause, 'conflict', 'already-exists')) throw cause;
        if (tries === maxTries)
          throw new StatusError('unavailable', `ConfigMap ${namespace}/${name} is being changed by others: try again`, { cause });
      }
    }
  }

  async #find(signal: AbortSignal | undefined) {
    const { namespace, name, fuse } = this.#options;
    const stored = await this.#client.find(kinds.configMaps, { namespace, name }, { signal });
    const text = stored?.data?.[fuse];
    return { stored, state: text === undefined ? emptyFuse : parseFuseState(text, `${fuse} in ConfigMap ${namespace}/${name}`) };
  }
}
