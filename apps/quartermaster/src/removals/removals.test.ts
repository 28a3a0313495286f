import { PassThrough } from 'node:stream';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { RemovalState, RemovalsService } from '@quartermaster/api/removals';
import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import { type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asked } from '../text/confirm.ts';
import { approveRemoval, listRemovals } from './removals.ts';

const waiting = {
  id: 'hardware-1a2b',
  state: RemovalState.WAITING,
  what: 'hardware facts of nodes that are gone',
  reason: '12 of 40 are due, and at most 5 may be removed within 1 h without approval',
  since: timestampFromMs(Date.UTC(2026, 0, 1)),
  names: Array.from({ length: 12 }, (_, index) => `gpu-${index}`),
};

describe('quartermaster removals', () => {
  let server: RpcServer;
  let approved: string[];
  let written: string;
  const output = { out: { write: (text: string) => (written += text) }, err: { write: () => {} } };

  beforeEach(async () => {
    approved = [];
    written = '';
    const service = serve(RemovalsService, {
      listRemovals: () => ({ removals: approved.length > 0 ? [] : [waiting] }),
      approveRemoval: ({ id }) => {
        if (id !== waiting.id) throw new StatusError('not_found', `removal ${id} does not wait`);
        approved.push(id);
        return { removal: { ...waiting, state: RemovalState.APPROVED } };
      },
    });
    server = await startRpcServer({
      services: [service],
      host: '127.0.0.1',
      port: 0,
      isServing: () => true,
      clock: new FakeClock(),
      log: silentLog,
    });
  });

  afterEach(() => server.stop(0));

  const flags = (more: { readonly json?: boolean; readonly yes?: boolean; readonly role?: 'cluster' } = {}) => ({
    server: server.address,
    dataDir: '.',
    role: 'inventory' as const,
    json: false,
    yes: false,
    ...more,
  });

  /** Somebody at a terminal who types this, or nobody. */
  function person(types?: string): Asked & { readonly output: PassThrough } {
    const input: PassThrough & { isTTY?: boolean } = new PassThrough();
    if (types !== undefined) input.isTTY = true;
    input.end(`${types ?? ''}\n`);
    return { input, output: new PassThrough() };
  }

  it('says what waits, why, and what a person can do', async () => {
    await listRemovals(flags(), output);
    expect(written).toMatch(/^ID +STATE +AGE +OBJECTS +WHAT\nhardware-1a2b +waiting +\d+d +12 +hardware facts of nodes that are gone\n/);
    expect(written).toContain('hardware-1a2b: 12 of 40 are due');
    expect(written).toContain('gpu-0, gpu-1, gpu-2, gpu-3, gpu-4, gpu-5, gpu-6, gpu-7, gpu-8, gpu-9 and 2 more');
    expect(written).toContain('quartermaster removals approve hardware-1a2b\n');
    written = '';
    await listRemovals(flags({ role: 'cluster' }), output);
    expect(written).toContain('quartermaster removals approve hardware-1a2b --role cluster\n');
  });

  it('lists everything for programs', async () => {
    await listRemovals(flags({ json: true }), output);
    expect(JSON.parse(written)).toMatchObject({
      removals: [{ id: 'hardware-1a2b', state: 'REMOVAL_STATE_WAITING', names: waiting.names }],
    });
  });

  it('approves when the person says so, and not otherwise', async () => {
    const hesitant = person('maybe');
    await expect(approveRemoval(waiting.id, flags(), output, hesitant)).rejects.toThrow('nothing was approved');
    expect(String(hesitant.output.read())).toContain('Remove 12 hardware facts of nodes that are gone: gpu-0');
    await expect(approveRemoval(waiting.id, flags(), output, person())).rejects.toThrow('add --yes');
    expect(approved).toEqual([]);
    await approveRemoval(waiting.id, flags(), output, person('yes'));
    expect([approved, written]).toEqual([[waiting.id], `removal ${waiting.id}: approved; 12 ${waiting.what} will be removed\n`]);
    written = '';
    await listRemovals(flags(), output);
    expect(written).toBe('No removals are waiting for approval.\n');
  });

  it('asks nobody with --yes, and tells what the server says of an unknown one', async () => {
    await approveRemoval(waiting.id, flags({ yes: true }), output, person());
    expect(approved).toEqual([waiting.id]);
    await expect(approveRemoval('other', flags(), output, person())).rejects.toMatchObject({
      code: 'not_found',
      message: 'removal other does not wait',
    });
  });
});
