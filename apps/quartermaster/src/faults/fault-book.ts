import { type Clock, StatusError } from '@quartermaster/kernel';
import { type NodeFaults, nodeFaultSchema } from './node-faults.ts';

/** One fault that is in force. */
export interface ListedFault {
  readonly id: string;
  /** Its kind and settings, as they were given. */
  readonly fault: FaultSettings;
  /** Milliseconds since the epoch; undefined for one that somebody else began. */
  readonly since?: number | undefined;
}

export type FaultSettings = Readonly<Record<string, unknown>> & { readonly kind: string };

/** That a fault came or went. */
export interface FaultChange {
  readonly at: number;
  /** `happened`: once, and nothing is left to remove. */
  readonly change: 'began' | 'ended' | 'happened';
  readonly id: string;
  readonly fault: FaultSettings;
}

/** Everything that goes wrong on purpose in one simulation. */
export interface FaultBook {
  list(): Promise<readonly ListedFault[]>;
  /** What came and went through this book, the newest last, as far as it is kept. */
  history(): Promise<readonly FaultChange[]>;
  /** Resolves with the id; with undefined for what happens once and leaves nothing to remove. Throws `invalid_argument`. */
  add(fault: unknown): Promise<string | undefined>;
  /** Throws `not_found` when no such fault is in force. */
  remove(id: string): Promise<void>;
}

/** The faults of an API server. */
export interface ApiFaults {
  list(): Promise<readonly { readonly id: string; readonly fault: FaultSettings }[]>;
  add(fault: unknown): Promise<string | undefined>;
  /** False when no such fault is in force. */
  remove(id: string): Promise<boolean>;
}

const nodeKinds = new Set(nodeFaultSchema.options.map(({ shape }) => shape.kind.value as string));
const kindOf = (fault: unknown): unknown => (typeof fault === 'object' && fault !== null && 'kind' in fault ? fault.kind : undefined);

/** More of what came and went is not remembered. */
const mostRemembered = 200;

/** One book over the faults of the nodes and, where the API server is simulated too, of the API server. */
export function faultBook(nodes: NodeFaults, api: ApiFaults | undefined, clock: Clock): FaultBook {
  const changes: FaultChange[] = [];
  const note = (change: Omit<FaultChange, 'at'>): void => {
    changes.push({ at: clock.now(), ...change });
    if (changes.length > mostRemembered) changes.shift();
  };
  const sinceOf = (id: string): number | undefined => changes.findLast((each) => each.id === id && each.change === 'began')?.at;
  const active = async () => [...((await api?.list()) ?? []), ...nodes.list()];
  const begin = async (fault: unknown): Promise<string | undefined> => {
    const kind = kindOf(fault);
    if (typeof kind === 'string' && nodeKinds.has(kind)) return await nodes.add(parseNodeFault(fault));
    if (api !== undefined) return await api.add(fault);
    throw new StatusError('invalid_argument', `the API server is not simulated: only ${[...nodeKinds].join(', ')} can be inflicted here`);
  };
  return {
    list: async () => (await active()).map((each) => ({ ...each, since: sinceOf(each.id) })),
    history: async () => changes,
    add: async (fault) => {
      const id = await begin(fault);
      // Whatever was accepted has a kind.
      const settings = fault as FaultSettings;
      note(id === undefined ? { change: 'happened', id: settings.kind, fault: settings } : { change: 'began', id, fault: settings });
      return id;
    },
    remove: async (id) => {
      const fault = (await active()).find((each) => each.id === id)?.fault;
      if (fault === undefined || !((await nodes.remove(id)) || (await api?.remove(id)) === true)) {
        throw new StatusError('not_found', `there is no active fault ${id}: \`quartermaster simulate fault list\` lists those that are`);
      }
      note({ change: 'ended', id, fault });
    },
  };
}

function parseNodeFault(fault: unknown) {
  const parsed = nodeFaultSchema.safeParse(fault);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StatusError('invalid_argument', `fault.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not understood'}`);
}
