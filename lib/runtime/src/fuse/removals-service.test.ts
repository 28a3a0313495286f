import { create } from '@bufbuild/protobuf';
import { ApproveRemovalRequestSchema, ListRemovalsRequestSchema, RemovalState } from '@quartermaster/api/removals';
import { accessTable, mayCall } from '@quartermaster/auth';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import type { ReviewedRight, TokenOwner } from '@quartermaster/kube';
import { anonymous, type CallContext, type Identity } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { MemoryFuseStore } from './fuse-store.ts';
import { removalsAccess, removalsService } from './removals-service.ts';
import { RoleFuse } from './role-fuse.ts';

const guards = { group: 'quartermaster.dev', plural: 'nodehardwares' };
const ann: Identity = { kind: 'token', vouchedBy: 'token-review', name: 'ann', groups: ['people'] };

/** A fuse in which six objects wait, and its service. */
async function waiting({ isLocal = false, mayDelete = false, hasOwnTable = false } = {}) {
  const clock = new FakeClock();
  const fuse = new RoleFuse(new MemoryFuseStore(), { name: 'hardware', what: 'facts', guards, windowMs: 1_000 }, { clock, log: silentLog });
  const due = Array.from({ length: 6 }, (_, index) => ({ name: `n${index}`, uid: `u${index}` }));
  const unused = async () => await Promise.reject(new Error('nothing is written in this test'));
  const removed: string[] = [];
  const look = async () => {
    const remove = async ({ name }: { readonly name: string }) => removed.push(name) > 0;
    const left = due.filter(({ name }) => !removed.includes(name));
    const term = { writer: { create: unused, replace: unused }, signal: new AbortController().signal };
    await fuse.look({ due: left, pending: [], total: 20 }, remove, term);
  };
  await look();
  const asked: [TokenOwner, ReviewedRight][] = [];
  const reviewAccess = async (who: TokenOwner, right: ReviewedRight) => {
    asked.push([who, right]);
    return mayDelete;
  };
  const { methods } = removalsService({ fuses: [fuse], reviewAccess, isLocal, hasOwnTable });
  const call = async (
    method: string,
    request: Parameters<(typeof methods)[number]['call']>[0],
    identity: Identity = ann,
    transport: CallContext['transport'] = 'grpc',
  ) => {
    const context: CallContext = {
      method,
      transport,
      identity,
      peer: '',
      header: () => undefined,
      signal: new AbortController().signal,
    };
    return await methods.find(({ path }) => path.endsWith(`/${method}`))?.call(request, context);
  };
  const approve = async (id: string, identity?: Identity, transport?: CallContext['transport']) =>
    await call('ApproveRemoval', create(ApproveRemovalRequestSchema, { id }), identity, transport);
  const list = async () => await call('ListRemovals', create(ListRemovalsRequestSchema));
  return { id: fuse.waiting?.id ?? '', look, removed, asked, approve, list };
}

describe('the service of removals', () => {
  it('lists what waits by name, and what a person approved', async () => {
    const { id, list, approve, look, removed } = await waiting({ mayDelete: true });
    const names = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'];
    expect(await list()).toMatchObject({ removals: [{ id, state: RemovalState.WAITING, what: 'facts', names, more: 0 }] });
    expect(await approve(id)).toMatchObject({ removal: { id, state: RemovalState.APPROVED, names, approvedBy: 'ann' } });
    expect(await list()).toMatchObject({ removals: [{ id, state: RemovalState.APPROVED }] });
    await look();
    expect(removed).toEqual(names);
    expect(await list()).toEqual({ removals: [] });
  });

  it('asks the cluster whether the caller may delete the kind, and says which right is missing', async () => {
    const { id, approve, asked, list } = await waiting();
    await expect(approve(id)).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('ann may not delete nodehardwares.quartermaster.dev'),
    });
    expect(asked).toEqual([[ann, { ...guards, verb: 'delete' }]]);
    expect(await list()).toMatchObject({ removals: [{ state: RemovalState.WAITING }] });
  });

  it('takes a caller without a name on loopback, and nowhere else', async () => {
    const local = await waiting({ isLocal: true });
    expect(await local.approve(local.id, anonymous)).toMatchObject({ removal: { state: RemovalState.APPROVED } });
    const remote = await waiting({ mayDelete: true });
    await expect(remote.approve(remote.id, anonymous)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('takes nothing from a web page, which can have a browser send REST to loopback', async () => {
    const local = await waiting({ isLocal: true });
    await expect(local.approve(local.id, anonymous, 'rest')).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it.each([{ kind: 'certificate' }, { kind: 'token', vouchedBy: 'issuer' }, { kind: 'token' }] as const)(
    'takes no name that somebody else than the cluster gave for a user of the cluster: %o',
    async (proof) => {
      const remote = await waiting({ mayDelete: true });
      const other: Identity = { ...proof, name: 'ann', groups: ['system:masters'] };
      await expect(remote.approve(remote.id, other)).rejects.toMatchObject({
        code: 'permission_denied',
        message: expect.stringMatching(
          /^ann is not known to the cluster, .*: send a token of the cluster, of a service account with that right$/,
        ),
      });
      expect(remote.asked).toEqual([]);
    },
  );

  it('leaves it to the table of a role that has one, in which the roles are that may', async () => {
    const table = accessTable(removalsAccess({ list: ['admin', 'reader'], approve: ['admin'] }));
    const may = (role: string) =>
      ['ListRemovals', 'ApproveRemoval'].map((method) => mayCall(table, role, `/quartermaster.removals.v1.RemovalsService/${method}`));
    expect([may('admin'), may('reader'), may('tenant')]).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
    const own = await waiting({ hasOwnTable: true });
    const admin: Identity = { kind: 'token', vouchedBy: 'issuer', name: 'root', groups: [] };
    await expect(own.approve(own.id, anonymous)).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await own.approve(own.id, admin)).toMatchObject({ removal: { state: RemovalState.APPROVED, approvedBy: 'root' } });
    expect(own.asked).toEqual([]);
  });

  it('does not know a removal that nobody listed', async () => {
    const { approve } = await waiting({ mayDelete: true });
    await expect(approve('nothing')).rejects.toMatchObject({ code: 'not_found' });
    await expect(approve('hardware-0123')).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
