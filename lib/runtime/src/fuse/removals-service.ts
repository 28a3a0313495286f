import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type RemovalSchema, RemovalState, RemovalsService } from '@quartermaster/api/removals';
import type { MethodAccess } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import type { ReviewAccess } from '@quartermaster/kube';
import { type CallContext, type Identity, type ServedService, serve } from '@quartermaster/rpc';
import type { FuseState } from './removal-fuse.ts';
import type { FuseOptions, RoleFuse } from './role-fuse.ts';

export interface RemovalsServiceOptions {
  readonly fuses: readonly RoleFuse[];
  readonly reviewAccess: ReviewAccess;
  /** Callers that nobody identified come from this machine alone. */
  readonly isLocal: boolean;
  /** The role has a table of its own that says who may call what, with the rows of `removalsAccess`: whoever gets through it may. */
  readonly hasOwnTable?: boolean | undefined;
}

/** The rows that a role with an access table of its own adds to it for its fuses. Without them the table keeps everybody out. */
export function removalsAccess<Role extends string>(callers: {
  readonly list: readonly Role[];
  readonly approve: readonly Role[];
}): Readonly<Record<string, Readonly<Record<'ListRemovals' | 'ApproveRemoval', MethodAccess<Role>>>>> {
  return {
    [RemovalsService.typeName]: {
      ListRemovals: { callers: callers.list, effect: 'read' },
      ApproveRemoval: { callers: callers.approve, effect: 'write' },
    },
  };
}

/** As the fuse makes ids. */
const isOf = (id: string, fuse: string): boolean => id.slice(0, id.lastIndexOf('-')) === fuse;

type RemovalMessage = MessageInitShape<typeof RemovalSchema>;

/** quartermaster.removals.v1, for the fuses of a role. */
export function removalsService({ fuses, reviewAccess, isLocal, hasOwnTable = false }: RemovalsServiceOptions): ServedService {
  return serve(RemovalsService, {
    listRemovals: async (_request, { signal }) => {
      const states = await Promise.all(fuses.map(async (fuse) => messagesOf(fuse.options, await fuse.read(signal))));
      return { removals: states.flat() };
    },
    approveRemoval: async ({ id }, { identity, transport, signal }) => {
      const fuse = fuses.find(({ options: { name } }) => isOf(id, name));
      if (fuse === undefined) throw new StatusError('not_found', `no removal has the id "${id}": list the removals`);
      await authorize(identity, transport, fuse.options, signal);
      const state = await fuse.approve(id, identity.name === '' ? 'a local user on the host of the operator' : identity.name, signal);
      return { removal: messagesOf(fuse.options, state).find((removal) => removal.id === id) };
    },
  });

  async function authorize(
    identity: Identity,
    transport: CallContext['transport'],
    { guards }: FuseOptions,
    signal: AbortSignal,
  ): Promise<void> {
    // Any web page can have a browser on this machine send a REST request; none can have it speak gRPC.
    if (identity.kind === 'anonymous' && isLocal && transport === 'grpc') return;
    if (hasOwnTable && identity.kind !== 'anonymous') return;
    const who = identity.name === '' ? 'an anonymous caller' : identity.name;
    // A name that a client certificate, an issuer or the service itself gave may be that of somebody else in the cluster.
    const isOfCluster = identity.vouchedBy === 'token-review';
    if (isOfCluster && (await reviewAccess(identity, { ...guards, verb: 'delete' }, signal))) return;
    const right = `delete ${guards.plural}.${guards.group}, which approving their removal needs`;
    throw new StatusError(
      'permission_denied',
      isOfCluster
        ? `${who} may not ${right}: bind it to a role with that right`
        : `${who} is not known to the cluster, which says who may ${right}: send a token of the cluster, of a service account with that right`,
    );
  }
}

function messagesOf({ what }: FuseOptions, { waiting, approval }: FuseState): RemovalMessage[] {
  const namesOf = (objects: readonly { readonly name: string }[]) => objects.map(({ name }) => name);
  return [
    ...(waiting === undefined
      ? []
      : [
          {
            id: waiting.id,
            state: RemovalState.WAITING,
            what,
            reason: waiting.reason,
            since: timestampFromMs(waiting.since),
            names: namesOf(waiting.objects),
            more: waiting.more,
          },
        ]),
    ...(approval === undefined
      ? []
      : [
          {
            id: approval.id,
            state: RemovalState.APPROVED,
            what,
            names: namesOf(approval.objects),
            approvedBy: approval.by,
            approvedAt: timestampFromMs(approval.at),
          },
        ]),
  ];
}
