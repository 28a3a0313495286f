import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { type AgentNetwork, Inventory } from '@quartermaster/inventory';
import { discoveryName, discoveryPort } from '@quartermaster/inventory/discovery';
import { FakeClock, StatusError, seededRandom, silentLog } from '@quartermaster/kernel';
import { cacheOpener, type KubeClient, kinds } from '@quartermaster/kube';
import { selfSignedTls, type TlsCertificates } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addNode, hardwareOf, type OperatorCluster, operatorNamespace, report, startSimulatedCluster } from './operator-cluster.ts';

const uuidOf = (node: string, index: number): string => `GPU-${node}-${index}`;
const usage = (...percents: readonly (readonly [string, number])[]): string =>
  JSON.stringify({ gpus: percents.map(([uuid, utilizationPercent]) => ({ uuid, utilizationPercent })) });

/** A server on this machine that stands for the agent of a node. */
class PlayedAgent {
  readonly heard: (string | undefined)[] = []; // headers `authorization`
  answer: string | undefined;
  readonly #tls: TlsCertificates;
  readonly #server: Server;

  private constructor(tls: TlsCertificates) {
    this.#tls = tls;
    this.#server = createServer(tls.serverOptions(), ({ headers, url }, response) => {
      this.heard.push(headers.authorization);
      const isKnown = this.answer !== undefined && url === '/v1/usage';
      response.writeHead(isKnown ? 200 : 403, { 'content-type': 'application/json' }).end(isKnown ? this.answer : '{"message":"not you"}');
    });
    tls.keep(this.#server);
  }

  static async start(): Promise<PlayedAgent> {
    const agent = new PlayedAgent(await selfSignedTls({ commonName: 'agent' }));
    await new Promise<void>((resolve) => agent.#server.listen(0, '127.0.0.1', resolve));
    return agent;
  }

  get fingerprint(): string {
    return this.#tls.status().fingerprint;
  }

  dial(): Duplex {
    return connect((this.#server.address() as AddressInfo).port, '127.0.0.1');
  }

  renew(): Promise<void> {
    return this.#tls.reload();
  }

  async stop(): Promise<void> {
    await this.#tls.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('what agents tell of the use of GPUs', { timeout: 60_000 }, () => {
  const clock = new FakeClock(Date.now());
  const names = ['talks', 'lies', 'mute', 'bare', 'unnamed', 'posed'];
  const agents = new Map<string, PlayedAgent>(); // node -> its agent
  const dialled = new Map<string, number>(); // node -> port at which its agent was called last
  let token: string | undefined = 'operator-token';
  let cluster: OperatorCluster;
  let client: KubeClient;
  let inventory: Inventory;

  const agentOf = (node: string): PlayedAgent => agents.get(node) as PlayedAgent;
  const network: AgentNetwork = {
    connect: async ({ name }, port) => {
      const node = name.replace('agent-', '');
      dialled.set(node, port);
      return agentOf(node).dial();
    },
    token: async () => {
      if (token === undefined) throw new StatusError('failed_precondition', 'there is no token');
      return token;
    },
  };

  /** As an agent writes it. */
  async function publish(node: string, certificateFingerprint: string | undefined): Promise<void> {
    const status = { certificateFingerprint, agentPort: node === 'talks' ? 9444 : undefined };
    await client.patch(nodeHardwareType, { name: node }, { kind: 'merge', body: { status } }, { subresource: 'status' });
  }

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    ({ client } = cluster);
    for (const node of names) {
      agents.set(node, await PlayedAgent.start());
      await addNode(client, node);
      await report(client, node, hardwareOf(node, '2330', node === 'bare' ? { gpus: [] } : {}));
      if (node !== 'unnamed') await publish(node, node === 'posed' ? agentOf('talks').fingerprint : agentOf(node).fingerprint);
      const metadata = { namespace: operatorNamespace, name: `agent-${node}`, labels: { 'app.kubernetes.io/name': discoveryName } };
      await client.create(kinds.pods, { metadata, spec: { nodeName: node, containers: [{ name: 'discovery', image: 'agent' }] } });
      const status = { phase: 'Running', podIP: '10.0.0.1' };
      await client.patch(kinds.pods, metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
    }
    const context = { clock, random: seededRandom(1), log: silentLog };
    const caches = cacheOpener(client, context);
    inventory = await Inventory.start({ client, caches, namespace: operatorNamespace, agents: network, ...context });
  }, 60_000);

  afterAll(async () => {
    await inventory?.stop();
    for (const agent of agents.values()) await agent.stop();
    await cluster?.stop();
  });

  const percents = (node: string) =>
    inventory.ledger
      .nodeView(node)
      ?.devices.slice(0, 2)
      .map(({ utilization }) => utilization);

  /** Lets time pass, until it is so. */
  async function eventually(check: () => void): Promise<void> {
    await vi.waitFor(
      async () => {
        await clock.advance(10_000);
        check();
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  it('is shown by card, and no figure but a reason where an agent tells none, nonsense, or is not the one that its object names', async () => {
    agentOf('talks').answer = usage([uuidOf('talks', 0), 42], [uuidOf('talks', 1), 0]);
    agentOf('lies').answer = usage([uuidOf('lies', 0), 4200]);
    for (const node of ['unnamed', 'posed']) agentOf(node).answer = usage([uuidOf(node, 0), 1]);
    await eventually(() => expect(percents('talks')).toEqual([42, 0]));
    const reasons = [
      'its answer is not understood (lies)',
      'it answers 403: not you (mute)',
      'its NodeHardware names no certificate: see the log of the agent, and update it where it is older (unnamed)',
      'it shows another certificate than its NodeHardware names (posed)',
    ];
    // On a busy machine an agent may answer too late at first, which is another reason.
    await eventually(() => {
      const problem = inventory.usage?.problem();
      expect(problem).toContain('4 of 5 agents do not tell how busy their GPUs are: ');
      // Three reasons are spelled out.
      const told = reasons.filter((reason) => problem?.includes(reason) === true);
      expect([told.length, problem]).toEqual([3, expect.stringMatching(/ and 1 more$/)]);
    });
    for (const node of ['lies', 'mute', 'unnamed', 'posed']) expect(percents(node)).toEqual([undefined, undefined]);
  });

  it('shows its token to those alone whose certificate is the one that is named', () => {
    const heard = (node: string) => [...new Set(agentOf(node).heard)];
    for (const node of ['talks', 'lies', 'mute']) expect(heard(node)).toEqual(['Bearer operator-token']);
    for (const node of ['bare', 'unnamed', 'posed']) expect(heard(node)).toEqual([]);
  });

  it('is asked for at the port that an agent names, and at the usual one of those that name none', () => {
    expect([dialled.get('talks'), dialled.get('mute')]).toEqual([9444, discoveryPort]);
  });

  it('follows an agent that names another certificate', async () => {
    await agentOf('talks').renew();
    await eventually(() => expect(percents('talks')).toEqual([undefined, undefined]));
    await publish('talks', agentOf('talks').fingerprint);
    await eventually(() => expect(percents('talks')).toEqual([42, 0]));
  });

  it('is unknown without a token, for one reason, and shown with the next one', async () => {
    token = undefined;
    await eventually(() => expect(percents('talks')).toEqual([undefined, undefined]));
    await eventually(() => expect(inventory.usage?.problem()).toContain('there is no token (lies, mute, posed and 1 more)'));
    token = 'next-token';
    await eventually(() => expect(percents('talks')).toEqual([42, 0]));
    expect(agentOf('talks').heard.at(-1)).toBe('Bearer next-token');
  });

  it('is asked for again and again, and gone when the agent no longer tells it', async () => {
    agentOf('talks').answer = usage([uuidOf('talks', 0), 7]);
    await eventually(() => expect(percents('talks')).toEqual([7, undefined]));
    agentOf('talks').answer = undefined;
    await eventually(() => expect(percents('talks')).toEqual([undefined, undefined]));
    agentOf('talks').answer = usage([uuidOf('talks', 0), 9]);
    await eventually(() => expect(percents('talks')).toEqual([9, undefined]));
    await client.delete(kinds.pods, { namespace: operatorNamespace, name: 'agent-talks' }, { gracePeriodSeconds: 0 });
    await eventually(() => expect(percents('talks')).toEqual([undefined, undefined]));
  });
});
