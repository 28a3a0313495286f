import { sleep, systemClock } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import { percentile } from '../fulfillment/load.ts';
import { Child } from '../inventory/child.ts';
import type { ClusterReady, Deployed, Memory, Ready, RequestCount, RunnerRequest } from './protocol.ts';

export interface SideOptions {
  readonly name: string;
  readonly program: './ours.ts' | './polling.ts';
  readonly leases: number;
  /** Of Node, for the process that runs leases. */
  readonly flags: readonly string[];
}

export interface Round {
  readonly peakRssMb: number;
  /** Of the round in which it was left alone for long enough; undefined of the others. */
  readonly requestsPerMinute: number | undefined;
  readonly recoverSeconds: number;
  readonly deploySeconds: number;
}

/**
 * In the first round longer than the longest period of either: ours passes over all leases every 60 s and sweeps hostnames every 30 s, and those who poll do so every 12.5 s
 * on the average. In the others it is no more than a pause, and is not counted.
 */
const [restMs, pauseMs] = [65_000, 12_500];
/** Of those that there are, and how many of them at the same time: that many come at the least. */
const [furtherShare, furtherAtOnce] = [0.1, 16];
const lookAgainMs = 200;
const minuteMs = 60_000;
/** An API server has machines of its own: on this one it shall not collect garbage on the cores of those whom it serves. */
const clusterFlags = ['--initial-old-space-size=1000', '--heap-growing-percent=300'];

/** A cluster with leases on it, which stays for all rounds. In each of them a new process takes them over, lives with them, and has further ones come and go. */
export class Side {
  readonly #options: SideOptions;
  readonly #cluster: Child;
  readonly #ready: ClusterReady;
  readonly #client: KubeClient;

  private constructor(options: SideOptions, cluster: Child, ready: ClusterReady, client: KubeClient) {
    this.#options = options;
    this.#cluster = cluster;
    this.#ready = ready;
    this.#client = client;
  }

  /** With its leases, and at rest. */
  static async start(options: SideOptions): Promise<Side> {
    const cluster = new Child('../leases/cluster.ts', [], clusterFlags);
    const ready = await cluster.next<ClusterReady>();
    const side = new Side(options, cluster, ready, await KubeClient.connect({ kubeconfig: ready.kubeconfig }));
    await using runner = side.#start();
    const { seconds } = await runner.next<Ready>();
    await side.#settled();
    side.#tell(`${options.leases} leases deployed in ${seconds.toFixed(1)} s`);
    return side;
  }

  async round(round: number): Promise<Round> {
    const before = await this.#count();
    await using runner = this.#start();
    const { seconds: recoverSeconds } = await runner.next<Ready>();
    const recovered = await this.#count();
    const tookRequests = `${recovered.requests - before.requests} requests, ${recovered.writes - before.writes} of them writes`;
    this.#tell(`recovered in ${recoverSeconds.toFixed(1)} s by ${tookRequests}`);
    const perMinute = await this.#rest(runner, round === 0 ? restMs : pauseMs);
    const count = Math.max(Math.round(this.#options.leases * furtherShare), furtherAtOnce);
    const leases = { first: this.#options.leases + round * count, count };
    const { seconds } = await ask<Deployed>(runner, { kind: 'deploy', leases, atOnce: furtherAtOnce });
    await ask(runner, { kind: 'close', leases });
    const { peakRssMb } = await ask<Memory>(runner, { kind: 'memory' });
    await this.#settled();
    const deploySeconds = percentile(seconds, 0.99);
    const rest = round === 0 ? `${perMinute.toFixed(0)} requests/min at rest` : 'rest not counted';
    this.#tell(`${rest}, p99 of a deployment ${deploySeconds.toFixed(2)} s, ${peakRssMb.toFixed(0)} MB`);
    return { peakRssMb, requestsPerMinute: round === 0 ? perMinute : undefined, recoverSeconds, deploySeconds };
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#cluster[Symbol.asyncDispose]();
  }

  #start(): Child {
    const { program, leases, flags } = this.#options;
    return new Child(`../leases/${program}`, [this.#ready.kubeconfig, this.#ready.nodes.join(','), String(leases)], flags);
  }

  async #rest(runner: Child, ms: number): Promise<number> {
    await ask(runner, { kind: 'rest' });
    const before = await this.#count();
    const begun = performance.now();
    await sleep(systemClock, ms);
    const after = await this.#count();
    return ((after.requests - before.requests) * minuteMs) / (performance.now() - begun);
  }

  async #count(): Promise<RequestCount> {
    this.#cluster.send({});
    return await this.#cluster.next<RequestCount>();
  }

  /** Every lease has its pod, and nothing is on its way. */
  async #settled(): Promise<void> {
    for (;;) {
      const { items: pods } = await this.#client.list(kinds.pods);
      if (pods.length === this.#options.leases && pods.every(({ status }) => status?.phase === 'Running')) return;
      await sleep(systemClock, lookAgainMs);
    }
  }

  #tell(what: string): void {
    console.error(`${this.#options.name}: ${what}`);
  }
}

async function ask<T>(runner: Child, request: RunnerRequest): Promise<T> {
  runner.send(request);
  return await runner.next<T>();
}
