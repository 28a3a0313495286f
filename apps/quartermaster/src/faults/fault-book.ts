import { StatusError } from '@quartermaster/kernel';
import { type NodeFaults, nodeFaultSchema } from './node-faults.ts';

/** One fault that is in force. */
export interface ListedFault {
  readonly id: string;
  /** Its kind and settings, as they were given. */
  readonly fault: Readonly<Record<string, unknown>> & { readonly kind: string };
}

/** Everything that goes wrong on purpose in one simulation. */
export interface FaultBook {
  list(): Promise<readonly ListedFault[]>;
  /** Resolves with the id; with undefined for what happens once and leaves nothing to remove. Throws `invalid_argument`. */
  add(fault: unknown): Promise<string | undefined>;
  /** Throws `not_found` when no such fault is in force. */
  remove(id: string): Promise<void>;
}

/** The faults of an API server. */
export interface ApiFaults {
  list(): Promise<readonly { readonly id: string; readonly fault: ListedFault['fault'] }[]>;
  add(fault: unknown): Promise<string | undefined>;
  /** False when no such fault is in force. */
  remove(id: string): Promise<boolean>;
}

const nodeKinds = new Set(nodeFaultSchema.options.map(({ shape }) => shape.kind.value as string));
const kindOf = (fault: unknown): unknown => (typeof fault === 'object' && fault !== null && 'kind' in fault ? fault.kind : undefined);

/** One book over the faults of the nodes and, where the API server is simulated too, of the API server. */
export function faultBook(nodes: NodeFaults, api: ApiFaults | undefined): FaultBook {
  return {
    list: async () => [...((await api?.list()) ?? []), ...nodes.list()],
    add: async (fault) => {
      const kind = kindOf(fault);
      if (typeof kind === 'string' && nodeKinds.has(kind)) return await nodes.add(parseNodeFault(fault));
      if (api === undefined) {
        throw new StatusError(
          'invalid_argument',
          `the API server is not simulated: only ${[...nodeKinds].join(', ')} can be inflicted here`,
        );
      }
      return await api.add(fault);
    },
    remove: async (id) => {
      if ((await nodes.remove(id)) || (await api?.remove(id)) === true) return;
      throw new StatusError('not_found', `there is no active fault ${id}: \`quartermaster simulate fault list\` lists those that are`);
    },
  };
}

function parseNodeFault(fault: unknown) {
  const parsed = nodeFaultSchema.safeParse(fault);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StatusError('invalid_argument', `fault.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not understood'}`);
}
