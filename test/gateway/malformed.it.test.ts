import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { manifestType } from '@quartermaster/api/manifest';
import { providerHostType } from '@quartermaster/api/provider-host';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { limit } from '@quartermaster/kernel';
import type { ResourceType } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { GatewaySite, pathOf } from './gateway-site.ts';
import { malformedBytes, malformedFrames } from './malformed-frames.ts';
import { type Malformed, malformedRequests } from './malformed-requests.ts';
import { TenantStream } from './tenant-stream.ts';

const seed = inject('day');
const requests = 9_200;
const frames = 500;
const raw = 300;
const mib = 2 ** 20;

async function startSetting() {
  const site = await GatewaySite.start({ args: ['--gateway-streams-per-tenant=0'] });
  const amy = await site.tenant('amy');
  const lease = await site.leases.run('amy', leaseSdl({ web: { hosts: ['www.amy.example.org'] } }));
  return { site, amy, lease, client: await site.client(lease) };
}

/** What is in use, with nothing that nobody uses. */
function used(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

describe(`what is malformed, of the seed ${seed}`, () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;
  let before: { readonly stored: readonly string[]; readonly bytes: number };

  beforeAll(async () => {
    setting = await startSetting();
    const { client, lease, amy } = setting;
    await client.ask({ path: pathOf(lease, '/status'), shown: { token: amy.token() } });
    before = { stored: await stored(), bytes: used() };
  });

  afterAll(() => setting?.site.stop());

  /** Everything that tenants can have stored, as it is. */
  async function stored(): Promise<readonly string[]> {
    const { client } = setting.site.leases.cluster;
    const types: readonly ResourceType[] = [tenantLeaseType, manifestType, hostnameClaimType, providerHostType];
    const lists = await Promise.all(types.map(async (type) => (await client.list(type)).items));
    return lists.flat().map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`);
  }

  async function outcomeOf({ asked, isUpgrade }: Malformed): Promise<number> {
    const { client } = setting;
    if (isUpgrade !== true) return (await client.ask(asked)).status;
    const { status, socket } = await client.upgrade(asked);
    socket?.destroy();
    return status;
  }

  it('is refused with the status that says so, whatever is wrong with a request', { timeout: 120_000 }, async () => {
    const inTurn = limit(12);
    const wrong = new Map<string, object>(); // kind -> what should have been answered otherwise
    const look = async (each: Malformed): Promise<void> => {
      const status = await outcomeOf(each).catch(String);
      if (!each.answers.some((answer) => answer === status)) wrong.set(each.kind, { status, ...each.asked, answers: each.answers });
    };
    const all = malformedRequests({ lease: setting.lease, tenant: setting.amy }, { seed, count: requests });
    expect(all).toHaveLength(requests);
    await Promise.all(all.map((each) => inTurn(() => look(each))));
    expect(Object.fromEntries(wrong)).toEqual({});
  });

  it('ends a shell with the code that says so, whatever is wrong with a frame', { timeout: 120_000 }, async () => {
    const inTurn = limit(12);
    const { client, lease, amy } = setting;
    const shown = { token: amy.token() };
    const ends = malformedFrames({ seed, count: frames }).map(({ kind, bytes, code }) =>
      inTurn(async () => {
        const stream = await TenantStream.open(client, pathOf(lease, '/shell?service=web&cmd0=cat&stdin=1'), shown);
        stream.send(bytes);
        const end = await stream.ended;
        await stream.drop();
        return { kind, code: end.code, expected: code, bytes: bytes.subarray(0, 40).toString('hex') };
      }),
    );
    expect((await Promise.all(ends)).filter(({ code, expected }) => code !== expected)).toEqual([]);
  });

  it('is no HTTP, and is refused as that', { timeout: 60_000 }, async () => {
    const inTurn = limit(12);
    const answers = malformedBytes({ seed, count: raw }).map((bytes) =>
      inTurn(async () => ({ answer: await setting.client.raw(bytes), sent: bytes.subarray(0, 120).toString('latin1') })),
    );
    const odd = (await Promise.all(answers)).filter(({ answer }) => !/^HTTP\/1\.1 4\d\d /.test(answer));
    expect(odd).toEqual([]);
  });

  it('leaves nothing behind', async () => {
    const { client, lease, amy } = setting;
    expect(await stored()).toEqual(before.stored);
    expect((await client.ask({ path: pathOf(lease, '/status'), shown: { token: amy.token() } })).status).toBe(200);
    await expect.poll(() => used() - before.bytes, { timeout: 20_000, interval: 500 }).toBeLessThan(48 * mib);
  });
});
