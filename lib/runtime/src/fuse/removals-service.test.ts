import { create } from '@bufbuild/protobuf';
import { ApproveRemovalRequestSchema, ListRemovalsRequestSchema, RemovalState } from '@quartermaster/api/removals';
import { accessTable, mayCall } from '@quartermaster/auth';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { anonymous, type CallContext, type Identity } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { MemoryFuseStore } from './fuse-store.ts';
import { removalsAccess, removalsService } from './removals-service.ts';
import { RoleFuse } from './role-fuse.ts';

const ann: Identity = { kind: 'token', vouchedBy: 'token-review', name: 'ann', groups: ['people'] };

/** A fuse in which six objects wait, and its service. */
async function waiting() {
  const clock = new FakeClock();
  const fuse = new RoleFuse(new MemoryFuseStore(), { name: 'hardware', what: 'facts', windowMs: 1_000 }, { clock, log: silentLog });
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
  const { methods } = removalsService([fuse]);
  const call = async (method: string, request: Parameters<(typeof methods)[number]['call']>[0], identity: Identity = ann) => {
    const context: CallContext = {
      method,
      transport: 'grpc',
      identity,
      peer: '',
      header: () => undefined,
      signal: new AbortController().signal,
    };
    return await methods.find(({ path }) => path.endsWith(`/${method}`))?.call(request, context);
  };
  const approve = async (id: string, identity?: Identity) =>
    await call('ApproveRemoval', create(ApproveRemovalRequestSchema, { id }), identity);
  const list = async () => await call('ListRemovals', create(ListRemovalsRequestSchema));
  return { id: fuse.waiting?.id ?? '', look, removed, approve, list };
}

describe('the service of removals', () => {
  it('lists what waits by name, and what a person approved', async () => {
    const { id, list, approve, look, removed } = await waiting();
    const names = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'];
    expect(await list()).toMatchObject({ removals: [{ id, state: RemovalState.WAITING, what: 'facts', names, more: 0 }] });
    expect(await approve(id)).toMatchObject({ removal: { id, state: RemovalState.APPROVED, names, approvedBy: 'ann' } });
    expect(await list()).toMatchObject({ removals: [{ id, state: RemovalState.APPROVED }] });
    await look();
    expect(removed).toEqual(names);
    expect(await list()).toEqual({ removals: [] });
  });

  it('takes an approval from nobody without a name, whoever let them in', async () => {
    const { id, approve, list } = await waiting();
    await expect(approve(id, anonymous)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await list()).toMatchObject({ removals: [{ state: RemovalState.WAITING }] });
  });

  it('has rows for the table of its role, which says who may', () => {
    const wayIn = { reader: 'become one' };
    const table = accessTable(removalsAccess({ list: ['admin', 'reader'], approve: ['admin'], wayIn }));
    expect(table.get('/quartermaster.removals.v1.RemovalsService/ApproveRemoval')?.wayIn).toBe(wayIn);
    const may = (role: string) =>
      ['ListRemovals', 'ApproveRemoval'].map((method) => mayCall(table, role, `/quartermaster.removals.v1.RemovalsService/${method}`));
    expect([may('admin'), may('reader'), may('tenant')]).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });

  it('does not know a removal that nobody listed', async () => {
    const { approve } = await waiting();
    await expect(approve('nothing')).rejects.toMatchObject({ code: 'not_found' });
    await expect(approve('hardware-0123')).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
