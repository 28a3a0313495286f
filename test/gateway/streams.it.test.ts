import { kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deployed } from '../leases/running-leases.ts';
import { GatewaySite, pathOf } from './gateway-site.ts';
import { SpokenImage } from './spoken-image.ts';
import { first, frame, opcodes, TenantStream } from './tenant-stream.ts';

interface Line {
  readonly name: string;
  readonly message: string;
}

const mostStreams = 8;
const spoken = new SpokenImage();
const patience = { timeout: 30_000, interval: 50 };

async function startSetting() {
  const args = [`--gateway-streams-per-tenant=${mostStreams}`, '--gateway-slow-reader-timeout=3s'];
  const site = await GatewaySite.start({ images: spoken.images, args });
  const [amy, bob] = [await site.tenant('amy'), await site.tenant('bob')];
  const [talking, plain] = await Promise.all([site.lease('amy', { image: spoken.name }), site.lease('bob')]);
  return { site, amy, bob, talking, plain, client: await site.client(plain) };
}

const nameOf = ({ metadata }: Pod): string => metadata?.name ?? '';
const linesOf = (stream: TenantStream, pod: string): readonly string[] =>
  stream
    .json<Line>()
    .filter(({ name }) => name === pod)
    .map(({ message }) => message);

describe('streams of a lease', () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;

  beforeAll(async () => {
    setting = await startSetting();
  });

  afterAll(() => setting?.site.stop());

  const shownFor = (deployed: Deployed) => ({ token: (deployed === setting.talking ? setting.amy : setting.bob).token() });
  const open = (deployed: Deployed, rest: string, shown: object = shownFor(deployed)): Promise<TenantStream> =>
    TenantStream.open(setting.client, pathOf(deployed, rest), shown);
  const shell = (rest: string): Promise<TenantStream> => open(setting.plain, `/shell?service=web&${rest}`);

  it('send the logs of all services, of some, and the last lines of each pod', async () => {
    const { site, talking } = setting;
    const [api, web] = [await site.leases.pods(talking, 'api'), await site.leases.pods(talking, 'web')];
    const hello = (pods: readonly Pod[]) => pods.map((pod) => ({ name: nameOf(pod), message: `${nameOf(pod)} says hello` }));
    const read = async (query: string) => {
      const stream = await open(talking, `/logs?${query}`);
      expect(await stream.ended).toMatchObject({ code: 1000 });
      return stream.json<Line>().toSorted((a, b) => (a.name < b.name ? -1 : 1));
    };
    expect(await read('')).toEqual(hello([...api, ...web]));
    expect(await read('service=web')).toEqual(hello(web));
    expect(await read('service=api,web&tail=-1')).toEqual(hello([...api, ...web]));
    for (const pod of api) for (const text of ['one', 'two', 'three']) spoken.say(nameOf(pod), text);
    expect((await read('service=api&tail=2')).map(({ message }) => message)).toEqual(['two', 'three']);
    expect(await read('service=api&tail=0')).toEqual([]);
    const refused = await setting.client.upgrade({ path: pathOf(talking, '/logs?service=db'), shown: shownFor(talking) });
    expect(refused).toMatchObject({
      status: 400,
      text: expect.stringContaining('db is not in the manifest of the lease, which has api, web'),
    });
  });

  it('follow logs, each line once, also of replicas that come later', async () => {
    const { site, talking } = setting;
    const pods = (await site.leases.pods(talking, 'web')).map(nameOf);
    const [going = '', staying = ''] = pods;
    const stream = await open(talking, '/logs?service=web&follow=1&tail=1');
    await stream.until(() => stream.podNames().size === 2);
    const said = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    for (const text of said) for (const pod of pods) spoken.say(pod, text);
    await stream.until(() => pods.every((pod) => linesOf(stream, pod).includes('line 49')));
    for (const pod of pods) expect(linesOf(stream, pod)).toEqual([`${pod} says hello`, ...said]);
    await site.leases.cluster.client.delete(kinds.pods, { namespace: talking.namespace, name: going });
    await stream.until(() => stream.podNames().size === 3);
    const [coming = ''] = [...stream.podNames()].filter((name) => !pods.includes(name));
    spoken.say(coming, 'I am new');
    spoken.say(staying, 'I am old');
    await stream.until(() => linesOf(stream, coming).includes('I am new') && linesOf(stream, staying).includes('I am old'));
    expect(linesOf(stream, coming)).toEqual([`${coming} says hello`, 'I am new']);
    await stream.drop();
  });

  it('tell what happened in the namespace in words for tenants, and with follow what happens', async () => {
    const { site, plain } = setting;
    const { client } = site.leases.cluster;
    const [pod] = await site.leases.pods(plain, 'web');
    const event = (name: string, reason: string, note: string, kind = 'Pod') =>
      client.create(kinds.events, {
        metadata: { namespace: plain.namespace, name },
        ...{ type: 'Normal', reason, note, action: 'Tried', eventTime: new Date().toISOString().replace('Z', '000Z') },
        ...{ reportingController: 'kubelet', reportingInstance: 'n-1' },
        regarding: { kind, namespace: plain.namespace, name: pod?.metadata?.name ?? '' },
      });
    await event('first', 'Started', 'Started container web');
    await event('second', 'Scheduled', 'assigned to the node n-1 at 192.0.2.7');
    await event('hidden', 'Admitted', 'ours', 'TenantLease');
    const stream = await open(plain, '/kubeevents?follow=1');
    await stream.until(() => stream.messages.length === 2);
    await event('third', 'Killing', 'Stopping container web');
    await stream.until(() => stream.messages.length === 3);
    const object = { kind: 'Pod', namespace: plain.namespace, name: pod?.metadata?.name };
    const told = (reason: string, note: string) => ({
      type: 'Normal',
      reportingController: 'kubelet',
      reportingInstance: '',
      reason,
      note,
      object,
    });
    expect(stream.json()).toEqual([
      told('Started', 'Started container web'),
      told('Scheduled', 'a node was found for the pod'),
      told('Killing', 'Stopping container web'),
    ]);
    await stream.drop();
    const once = await open(plain, '/kubeevents');
    expect(await once.ended).toMatchObject({ code: 1000 });
    expect(once.messages).toHaveLength(3);
  });

  it('run a command, with its output, its errors and its exit code', async () => {
    const stream = await shell('cmd0=sh&cmd1=-c&cmd2=echo%20out%3B%20nonsense%3B%20exit%203');
    expect(await stream.ended).toEqual({ code: 1000, reason: '' });
    expect(stream.output('stdout')).toBe('out\n');
    expect(stream.output('stderr')).toContain('nonsense');
    expect(stream.output('result')).toBe('{"exit_code":3}');
    expect(stream.messages.at(-1)?.data[0]).toBe(first.result);
  });

  it('take input until its end, and say nothing that was not said', async () => {
    const stream = await shell('cmd0=cat&stdin=1');
    stream.input('through ');
    stream.input('the gateway');
    await stream.until(() => stream.output('stdout') === 'through the gateway');
    stream.input('');
    expect(await stream.ended).toMatchObject({ code: 1000 });
    expect(JSON.parse(stream.output('result'))).toEqual({ exit_code: 0 });
  });

  it('have a terminal whose size follows that of the tenant', async () => {
    const stream = await shell('cmd0=sh&tty=1&stdin=1');
    stream.resize(132, 43);
    stream.input('stty size\r');
    await stream.until(() => stream.output('stdout').includes('43 132'));
    stream.resize(80, 24);
    stream.input('stty size\r');
    await stream.until(() => stream.output('stdout').includes('24 80'));
    stream.input('exit 5\r');
    await stream.ended;
    expect(stream.output('result')).toBe('{"exit_code":5}');
  });

  it('end with what breaks their protocol', async () => {
    const sent = async (query: string, bytes: Buffer) => {
      const stream = await shell(query);
      stream.send(bytes);
      return (await stream.ended).code;
    };
    const binary = (...data: readonly number[]) => frame({ opcode: opcodes.binary, data: Buffer.from(data) });
    expect(await sent('cmd0=cat&stdin=1', frame({ opcode: opcodes.text, data: Buffer.from([first.stdin]) }))).toBe(1008);
    expect(await sent('cmd0=cat&stdin=1', binary())).toBe(1008);
    expect(await sent('cmd0=cat&stdin=1', binary(first.stdout, 1))).toBe(1008);
    expect(await sent('cmd0=cat&stdin=1&tty=1', binary(first.resize, 0, 80, 0))).toBe(1008);
    expect(await sent('cmd0=sh', binary(first.stdin, 97))).toBe(1008);
  });

  it('end with the token, with its key, and with the lease', async () => {
    const { site, plain, bob } = setting;
    const [kim, lou] = [await site.tenant('kim'), await site.tenant('lou')];
    const [kept, closed] = await Promise.all([site.lease('kim'), site.lease('lou')]);
    const exp = Math.floor(Date.now() / 1000) + 3;
    const streams = await Promise.all([
      open(plain, '/logs?follow=1', { token: bob.token({ exp }) }),
      open(plain, '/shell?cmd0=cat&stdin=1&service=web', { token: bob.token({ exp }) }),
      open(kept, '/logs?follow=1', { token: kim.token() }),
      open(kept, '/kubeevents?follow=1', { token: kim.token() }),
      open(closed, '/logs?follow=1', { certificate: lou.certificate }),
    ]);
    const byCertificate = await open(kept, '/logs?follow=1', { certificate: kim.certificate });
    await Promise.all([kim.revoke.key(), site.leases.close(closed)]);
    const ends = await Promise.all(streams.map((stream) => stream.ended));
    const [token, key, lease] = ['the token expired: show a new one', 'the key of the token was revoked', 'the lease is closed'];
    expect(ends.map(({ code, reason }) => [code, reason])).toEqual([token, token, key, key, lease].map((reason) => [4003, reason]));
    // What another right opened goes on.
    await byCertificate.until(({ messages }) => messages.length > 0);
    expect(byCertificate.isEnded).toBe(false);
    await byCertificate.drop();
  });

  it('are cut when nothing is read, and what is behind them waits instead of filling the memory', async () => {
    const stream = await open(setting.talking, '/shell?cmd0=flood&service=api');
    await stream.until(() => stream.bytes > 2 ** 20);
    stream.pause();
    await expect.poll(() => spoken.floodsEnded, patience).toBe(1);
    // What networks and processes between them hold, and no more: it would be gigabytes by now.
    expect(spoken.flooded - stream.bytes).toBeLessThan(48 * 2 ** 20);
    stream.resume();
    expect((await stream.ended).code).not.toBe(1000);
    expect(stream.bytes).toBeLessThan(spoken.flooded);
  });

  it('are so many of a tenant, and no fewer of another one', async () => {
    const { talking, plain, client, amy } = setting;
    const followed = () => open(talking, '/logs?follow=1');
    const streams = await Promise.all(Array.from({ length: mostStreams }, followed));
    const asked = { path: pathOf(talking, '/logs?follow=1'), shown: { token: amy.token() } };
    expect((await client.upgrade(asked)).status).toBe(429);
    const others = await open(plain, '/logs');
    expect(await others.ended).toMatchObject({ code: 1000 });
    await streams[0]?.drop();
    await expect.poll(async () => (await client.upgrade(asked)).status, patience).toBe(101);
    await Promise.all(streams.map((stream) => stream.drop()));
  });

  it('tell tenants to connect again when the gateway is restarted, and then go on', async () => {
    const { site, plain, bob } = setting;
    const streams = await Promise.all([open(plain, '/logs?follow=1'), shell('cmd0=cat&stdin=1'), open(plain, '/kubeevents?follow=1')]);
    await streams[0]?.until((stream) => stream.messages.length > 0);
    const { uri } = await site.address(plain);
    await site.leases.endService();
    expect(await Promise.all(streams.map(async (stream) => (await stream.ended).code))).toEqual([1012, 1012, 1012]);
    await site.leases.startService();
    const again = await site.client(plain, { other: uri });
    const stream = await TenantStream.open(again, pathOf(plain, '/logs?tail=1'), { token: bob.token() });
    expect(await stream.ended).toMatchObject({ code: 1000 });
    expect(stream.podNames().size).toBe(3);
  });
});
