import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type RemovalSchema, RemovalState, RemovalsService } from '@quartermaster/api/removals';
import type { MethodAccess } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { FuseState } from './removal-fuse.ts';
import type { FuseOptions, RoleFuse } from './role-fuse.ts';

/** The rows that a role adds to its access table for its fuses. Without them the table keeps everybody out. */
export function removalsAccess<Role extends string>(callers: {
  readonly list: readonly Role[];
  readonly approve: readonly Role[];
  /** How those who may only list could come to approve. */
  readonly wayIn?: MethodAccess<Role>['wayIn'];
}): Readonly<Record<string, Readonly<Record<'ListRemovals' | 'ApproveRemoval', MethodAccess<Role>>>>> {
  return {
    [RemovalsService.typeName]: {
      ListRemovals: { callers: callers.list, effect: 'read' },
      ApproveRemoval: { callers: callers.approve, effect: 'write', wayIn: callers.wayIn },
    },
  };
}

/** As the fuse makes ids. */
const isOf = (id: string, fuse: string): boolean => id.slice(0, id.lastIndexOf('-')) === fuse;

type RemovalMessage = MessageInitShape<typeof RemovalSchema>;

/** quartermaster.removals.v1, for the fuses of a role. Who may call it is said by the role's access table. */
export function removalsService(fuses: readonly RoleFuse[]): ServedService {
  return serve(RemovalsService, {
    listRemovals: async (_request, { signal }) => {
      const states = await Promise.all(fuses.map(async (fuse) => messagesOf(fuse.options, await fuse.read(signal))));
      return { removals: states.flat() };
    },
    approveRemoval: async ({ id }, { identity, signal }) => {
      const fuse = fuses.find(({ options: { name } }) => isOf(id, name));
      if (fuse === undefined) throw new StatusError('not_found', `no removal has the id "${id}": list the removals`);
      // Whatever a role lets in: what is removed by itself, a person answers for.
      if (identity.name === '') throw new StatusError('unauthenticated', 'approving a removal takes a name: show a token or a certificate');
      const state = await fuse.approve(id, identity.name, signal);
      return { removal: messagesOf(fuse.options, state).find((removal) => removal.id === id) };
    },
  });
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
