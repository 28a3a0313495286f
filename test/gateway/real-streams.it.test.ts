import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSpec, startRealLeasedCluster } from '../leases/leased-cluster.ts';
import { createKubeletIdentity } from '../simulator/kubelet-identity.ts';
import { GatewaySite, pathOf } from './gateway-site.ts';
import { TenantStream } from './tenant-stream.ts';

async function startSetting() {
  const kubelets = await createKubeletIdentity();
  const nodes = [nodeSpec('machine-1', 1), nodeSpec('machine-2', 2)];
  const site = await GatewaySite.start({ cluster: await startRealLeasedCluster(nodes, { kubelets }) });
  const amy = await site.tenant('amy');
  const lease = await site.lease('amy');
  const end = async (): Promise<void> => {
    await site.stop();
    await kubelets.remove();
  };
  return { site, amy, lease, client: await site.client(lease), end };
}

/** With the rights that the manifests of the service give its account, and no others. */
describe('streams of a lease on the real control plane', { timeout: 120_000 }, () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;

  beforeAll(async () => {
    setting = await startSetting();
  }, 240_000);

  afterAll(() => setting?.end());

  const open = (rest: string): Promise<TenantStream> =>
    TenantStream.open(setting.client, pathOf(setting.lease, rest), { token: setting.amy.token() });

  it('have the logs of all pods, as they are and as they go on', async () => {
    const names = (await setting.site.leases.pods(setting.lease)).map(({ metadata }) => metadata?.name ?? '');
    const read = await open('/logs?tail=1');
    expect(await read.ended).toMatchObject({ code: 1000 });
    expect(read.json<{ name: string }>().map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const followed = await open('/logs?follow=1&service=web&tail=1');
    await followed.until((stream) => stream.podNames().size === 2);
    await followed.drop();
  });

  it('run commands, with input, a terminal and an exit code', async () => {
    const [pod] = await setting.site.leases.pods(setting.lease, 'web');
    const command = await open('/shell?service=web&podIndex=0&cmd0=sh&cmd1=-c&cmd2=hostname%3B%20nonsense%3B%20exit%203');
    expect(await command.ended).toMatchObject({ code: 1000 });
    expect([command.output('stdout'), command.output('result')]).toEqual([`${pod?.metadata?.name}\n`, '{"exit_code":3}']);
    expect(command.output('stderr')).toContain('nonsense');
    const cat = await open('/shell?service=web&cmd0=cat&stdin=1');
    cat.input('through a real API server');
    await cat.until((stream) => stream.output('stdout') === 'through a real API server');
    cat.input('');
    expect([(await cat.ended).code, cat.output('result')]).toEqual([1000, '{"exit_code":0}']);
    const terminal = await open('/shell?service=web&cmd0=sh&stdin=1&tty=1');
    terminal.resize(132, 43);
    terminal.input('stty size\r');
    await terminal.until((stream) => stream.output('stdout').includes('43 132'));
    terminal.input('exit 5\r');
    await terminal.ended;
    expect(terminal.output('result')).toBe('{"exit_code":5}');
  });

  it('tell what happens in the namespace', async () => {
    const stream = await open('/kubeevents');
    expect(await stream.ended).toMatchObject({ code: 1000 });
    const reasons = stream.json<{ reason: string; object: { namespace: string } }>();
    expect(new Set(reasons.map(({ object }) => object.namespace))).toEqual(new Set([setting.lease.namespace]));
    expect(reasons.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Scheduled', 'ScalingReplicaSet']));
    expect(JSON.stringify(reasons)).not.toContain('machine-');
  });
});
