import { InventoryService } from '@quartermaster/api/inventory';
import { openRpcChannel, type ServiceClient, startRestServer, startRpcServer } from '@quartermaster/rpc';
import { activeTrace, createLogger, installTraceContext, outgoingTraceHeaders, traceOf } from '@quartermaster/service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stubService } from './inventory-stub.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let uninstall: () => void;
let seen: (string | undefined)[] = [];
let lines: string[] = [];
let client: ServiceClient<typeof InventoryService>;
let restUrl = '';
let ends: (() => unknown)[] = [];

/** Notes in which trace it is asked. */
const note = (): void => void seen.push(activeTrace()?.traceId);

beforeAll(() => {
  uninstall = installTraceContext();
});

afterAll(() => uninstall());

beforeEach(async () => {
  [seen, lines] = [[], []];
  const service = stubService({
    async getStatus() {
      note();
      await Promise.resolve();
      note();
      return { version: outgoingTraceHeaders()['traceparent'] ?? 'none' };
    },
    async *watchInventory() {
      try {
        note();
        yield {};
        await Promise.resolve();
        note();
        yield {};
      } finally {
        note();
      }
    },
  });
  const log = createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } });
  const options = {
    services: [service],
    traceOf,
    log,
    authenticate: () => {
      note();
      return Promise.resolve({ kind: 'token' as const, name: 'somebody', groups: [] });
    },
  };
  const grpc = await startRpcServer(options);
  const rest = await startRestServer(options);
  const channel = openRpcChannel({ address: grpc.address, tries: 1 });
  client = channel.client(InventoryService);
  restUrl = rest.url;
  ends = [() => channel.close(), () => grpc.stop(0), () => rest.stop(0)];
});

afterEach(async () => {
  for (const end of ends) await end();
});

/** The traces of the lines that tell of the ends of calls. */
const tracesInLog = (): unknown[] =>
  lines
    .map((line) => JSON.parse(line) as { readonly msg?: string; readonly trace_id?: string })
    .filter(({ msg }) => msg === 'call ended')
    .map(({ trace_id }) => trace_id);

describe('the trace of a caller', () => {
  it('holds for all that a call does, for what it sends on and for its log lines', async () => {
    const answers = await Promise.all([client.getStatus({}, { headers: { traceparent } }), client.getStatus({})]);
    expect(answers.map(({ version }) => version)).toEqual([traceparent, 'none']);
    expect(seen.filter((trace) => trace === traceId)).toHaveLength(3);
    expect(seen.filter((trace) => trace === undefined)).toHaveLength(3);
    expect(tracesInLog()).toHaveLength(2);
    expect(new Set(tracesInLog())).toEqual(new Set([traceId, undefined]));
  });

  it('holds for every message of a stream and for its end', async () => {
    let messages = 0;
    for await (const _message of client.watchInventory({}, { headers: { traceparent } })) messages += 1;
    expect(messages).toBe(2);
    expect(seen).toEqual([traceId, traceId, traceId, traceId]);
    expect(tracesInLog()).toEqual([traceId]);
  });

  it('holds for the end of a stream that its reader leaves', async () => {
    for await (const _message of client.watchInventory({}, { headers: { traceparent } })) break;
    await expect.poll(tracesInLog).toEqual([traceId]);
    expect(new Set(seen)).toEqual(new Set([traceId]));
  });

  it('is the same by REST, and none where the header is none', async () => {
    const ask = async (headers: Record<string, string>): Promise<unknown> =>
      await (await fetch(`${restUrl}/v1/status`, { headers })).json();
    expect(await ask({ traceparent })).toMatchObject({ version: traceparent });
    expect(await ask({ traceparent: 'hello' })).toMatchObject({ version: 'none' });
    expect(await ask({})).toMatchObject({ version: 'none' });
    expect(tracesInLog()).toEqual([traceId, undefined, undefined]);
  });
});
