import type { Notice, NoticeType } from '@quartermaster/controller';
import { type BackoffOptions, backoffMs, type Clock, type Random, sleep } from '@quartermaster/kernel';
import type { PodCondition, PodStatus } from '@quartermaster/kube/shapes';
import type { SimulatedNode } from '../node/simulated-node.ts';
import { type ActivePod, behaviour, isTerminalPhase, type KubeletContainer, logRateVariable } from '../pods/kubelet-pod.ts';
import { type ReadData, type ReferredData, readReferred, resolveEnv } from './container-env.ts';
import type { ContainerLog } from './container-log.ts';
import { ContainerRun } from './container-run.ts';
import { failingProgram, pullProblem } from './failing-images.ts';
import type { ContainerContext, ContainerProgram, ImageRegistry, ImageRole, PortListener } from './image-registry.ts';
import { plainProgram } from './plain-program.ts';

export interface PodRunOptions {
  readonly node: SimulatedNode;
  readonly images: ImageRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly startMs: number;
  readonly restartBackoff: BackoffOptions;
  readonly podIp: string;
  /** Of the pod's namespace. */
  readonly readData: ReadData;
  /** Told whenever `status` may answer something else, and when the pod has stopped. */
  readonly changed: () => void;
  /** Gets what people should know of the pod. */
  readonly tell: (type: NoticeType, notice: Notice) => void;
}

const noData: ReferredData = new Map();
const kubeletConditions = new Set(['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady']);

/**
 * One pod on its node, from the moment the kubelet sees it:
 *
 *   creating   waits `startMs` (annotation start-after-ms); init containers count as done
 *   running    all containers; one that ends is started again after a growing wait where the restart policy says so
 *   over       every container has ended and none will start again: Succeeded, or Failed when one of them failed
 *   stopped    from any state, when the pod is deleted or its node is gone
 */
export class PodRun {
  readonly uid: string;
  readonly #pod: ActivePod;
  readonly #options: PodRunOptions;
  readonly #containers: readonly ContainerRun[];
  readonly #life = new AbortController();
  readonly #startedMs: number;
  readonly #served = new Map<number, { readonly container: string; readonly listener: PortListener }>(); // port -> who answers
  readonly #told: Map<string, PodCondition>; // condition type -> as last told, which keeps the time of its last change
  #initialized = false;
  #phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' = 'Pending';
  #stopping: Promise<void> | undefined;
  #isStopped = false;

  constructor(pod: ActivePod, options: PodRunOptions) {
    this.uid = pod.uid;
    this.#pod = pod;
    this.#options = options;
    this.#startedMs = Date.parse(pod.startTime ?? '') || options.clock.now();
    this.#told = new Map(pod.conditions.map((condition) => [condition.type, condition]));
    const runOf = (container: KubeletContainer): ContainerRun =>
      new ContainerRun(container, {
        clock: options.clock,
        isoOf: (wallMs) => options.node.isoOf(wallMs),
        containerId: `${pod.uid}-${container.name}`,
        changed: options.changed,
      });
    this.#containers = pod.containers.map(runOf);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** From `stop` on. */
  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** namespace/name */
  get ref(): string {
    return `${this.#pod.namespace}/${this.#pod.name}`;
  }

  /** What a program of the pod answers with on this TCP port; undefined where none does. */
  listenerOn(port: number): PortListener | undefined {
    return this.#served.get(port)?.listener;
  }

  /** Starts the pod from nothing, or goes on with one whose containers run already. */
  start({ adopt }: { readonly adopt: boolean }): void {
    void this.#live(adopt).catch(() => {});
  }

  /** Idempotent; `changed` tells when it is done, and `isStopped` then says so. */
  stop(graceMs: number): void {
    if (this.#stopping !== undefined) return;
    this.#life.abort(new Error('the pod is told to stop'));
    this.#stopping = (async () => {
      const slowMs = Math.min(behaviour(this.#pod.annotations, 'stop-after-ms') ?? 0, graceMs);
      if (slowMs > 0) await sleep(this.#options.clock, slowMs);
      await Promise.all(this.#containers.map((run) => run.stop(graceMs - slowMs)));
      this.#isStopped = true;
      this.#options.changed();
    })();
  }

  /** Ends every running container with this exit code, as a crash would; the restart policy decides what follows. */
  fail(exitCode: number): void {
    for (const run of this.#containers) run.fail(exitCode);
  }

  log(container: string, { previous }: { readonly previous: boolean }): ContainerLog | undefined {
    const run = this.#containers.find((each) => each.container.name === container);
    return previous ? run?.previousLog : run?.log;
  }

  /** The log of a container that runs now; undefined where none does. */
  logOfRunning(container: string): ContainerLog | undefined {
    return this.#containers.find((each) => each.container.name === container && each.isRunning)?.log;
  }

  /** What a command in this container sees; undefined where the pod has no such container. */
  async context(container: string): Promise<Omit<ContainerContext, 'log'> | undefined> {
    const found = this.#pod.containers.find(({ name }) => name === container);
    return found === undefined ? undefined : this.#contextOf(found, await readReferred(found.env, this.#options.readData));
  }

  status(): PodStatus {
    const { node, podIp } = this.#options;
    const hasAddress = this.#phase !== 'Pending' || this.#initialized;
    return {
      phase: this.#phase,
      startTime: node.isoOf(this.#startedMs),
      hostIP: node.address,
      hostIPs: [{ ip: node.address }],
      ...(hasAddress ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {}),
      conditions: this.#conditions(),
      containerStatuses: this.#containers.map((run) => run.status()),
    };
  }

  async #live(adopt: boolean): Promise<void> {
    const { clock, startMs } = this.#options;
    const { signal } = this.#life;
    if (adopt) {
      for (const run of this.#containers) {
        const known = this.#pod.containerStatuses.find(({ name }) => name === run.container.name);
        if (known !== undefined) run.adopt(known);
      }
    } else {
      const waitMs = behaviour(this.#pod.annotations, 'start-after-ms') ?? startMs;
      if (waitMs > 0) await sleep(clock, waitMs, signal);
    }
    this.#initialized = true;
    // What runs already has its image on the node.
    const isLacking = !adopt && this.#containers.some(({ container }) => this.#pullProblem(container) !== undefined);
    this.#phase = isLacking ? 'Pending' : 'Running';
    await Promise.all(this.#containers.map((run) => this.#keepRunning(run, adopt)));
    if (signal.aborted) return;
    this.#end(this.#containers.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed');
  }

  async #keepRunning(run: ContainerRun, adopt: boolean): Promise<void> {
    const { restartPolicy } = this.#pod;
    if (run.exitCode !== undefined && !isRestarted(restartPolicy, run.exitCode)) return;
    if (!adopt) await this.#pull(run);
    for (let failures = 0; !this.#life.signal.aborted; ) {
      const referred = this.#looksAtEnv(run.container) ? await readReferred(run.container.env, this.#options.readData) : noData;
      if (this.#life.signal.aborted) return;
      if (!adopt || failures > 0) this.#tellStart(run.container);
      await run.start(this.#programOf(run.container), this.#contextOf(run.container, referred));
      this.#close(run.container.name);
      if (this.#life.signal.aborted || run.exitCode === undefined || !isRestarted(restartPolicy, run.exitCode)) return;
      failures += 1;
      await this.#waitToRestart(run, failures);
    }
  }

  async #waitToRestart(run: ContainerRun, failures: number): Promise<void> {
    const { clock, random, restartBackoff } = this.#options;
    const { namespace, name, uid } = this.#pod;
    const waitMs = backoffMs(failures, restartBackoff, random);
    const subject = `failed container=${run.container.name} pod=${name}_${namespace}(${uid})`;
    run.wait('CrashLoopBackOff', `back-off ${Math.ceil(waitMs / 1000)}s restarting ${subject}`);
    const note = `Back-off restarting failed container ${run.container.name} (exit code ${run.lastExitCode})`;
    this.#options.tell('Warning', { reason: 'BackOff', action: 'Restart', note });
    await sleep(clock, waitMs, this.#life.signal);
  }

  #pullProblem({ image }: KubeletContainer): string | undefined {
    return this.#options.images.has(image) ? undefined : pullProblem(image);
  }

  /** Tries until the pod is stopped where the image cannot be pulled, after waits that grow. */
  async #pull(run: ContainerRun): Promise<void> {
    const { clock, random, restartBackoff, tell } = this.#options;
    const { signal } = this.#life;
    const { image } = run.container;
    const problem = this.#pullProblem(run.container);
    for (let failures = 1; problem !== undefined; failures += 1) {
      run.wait('ErrImagePull', problem);
      tell('Warning', { reason: 'Failed', action: 'Pull', note: `Failed to pull image "${image}": ${problem}` });
      await sleep(clock, restartBackoff.firstMs / 2, signal);
      run.wait('ImagePullBackOff', `Back-off pulling image "${image}": ErrImagePull: ${problem}`);
      tell('Normal', { reason: 'BackOff', action: 'Pull', note: `Back-off pulling image "${image}"` });
      await sleep(clock, backoffMs(failures, restartBackoff, random), signal);
    }
  }

  #tellStart({ name, image }: KubeletContainer): void {
    const { tell } = this.#options;
    tell('Normal', { reason: 'Pulled', action: 'Pull', note: `Image "${image}" is on the simulated node` });
    tell('Normal', { reason: 'Created', action: 'Create', note: `Created container ${name}` });
    tell('Normal', { reason: 'Started', action: 'Start', note: `Started container ${name}` });
  }

  #roleOf({ image, command, args }: KubeletContainer): ImageRole | undefined {
    return this.#options.images.roleOf(image, [...command, ...args]);
  }

  #programOf(container: KubeletContainer): ContainerProgram {
    const { clock } = this.#options;
    const known = this.#roleOf(container)?.run ?? failingProgram(container.image, clock);
    return known ?? plainProgram(container, this.#pod.annotations, clock);
  }

  #contextOf(container: KubeletContainer, referred: ReferredData): Omit<ContainerContext, 'log'> {
    const { node } = this.#options;
    const { namespace, name, uid, labels, annotations } = this.#pod;
    const pod = { namespace, name, uid, ip: this.#options.podIp, labels, annotations };
    const visible = node.devices.visibleTo(uid, container.name);
    const host = { name: node.name, address: node.address, hardware: node.spec.hardware };
    return {
      node: host,
      pod,
      container: { name: container.name, image: container.image, args: [...container.command, ...container.args] },
      env: {
        ...(visible === undefined ? {} : { NVIDIA_VISIBLE_DEVICES: visible.join(',') }),
        ...resolveEnv(container.env, pod, host, referred),
      },
      machine: visible === undefined ? node.machine : node.machine.seeing(visible),
      devices: node.devices,
      serve: (port, listener) => void this.#served.set(port, { container: container.name, listener }),
    };
  }

  /** The others, of which there may be many thousands, start without a request. */
  #looksAtEnv(container: KubeletContainer): boolean {
    return this.#roleOf(container) !== undefined || container.env.some(({ name }) => name === logRateVariable);
  }

  #close(container: string): void {
    for (const [port, served] of this.#served) if (served.container === container) this.#served.delete(port);
  }

  #end(phase: 'Succeeded' | 'Failed'): void {
    this.#phase = phase;
    this.#options.changed();
  }

  #conditions(): PodCondition[] {
    const since = this.#options.node.nowIso();
    const others = this.#pod.conditions.filter(({ type }) => !kubeletConditions.has(type));
    const isReady = this.#phase === 'Running' && this.#containers.every(({ isRunning }) => isRunning);
    const reason = isTerminalPhase(this.#phase) ? { reason: this.#phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' } : undefined;
    const ready = isReady ? { status: 'True' } : { status: 'False', ...(reason ?? { reason: 'ContainersNotReady' }) };
    const condition = (type: string, facts: { readonly status: string; readonly reason?: string }): PodCondition => {
      const before = this.#told.get(type);
      const told = { type, lastTransitionTime: before?.status === facts.status ? (before.lastTransitionTime ?? since) : since, ...facts };
      this.#told.set(type, told);
      return told;
    };
    return [
      ...others,
      condition('PodReadyToStartContainers', { status: this.#phase === 'Running' ? 'True' : 'False' }),
      condition('Initialized', this.#initialized ? { status: 'True' } : { status: 'False', reason: 'ContainersNotInitialized' }),
      condition('Ready', ready),
      condition('ContainersReady', ready),
    ];
  }
}

const isRestarted = (policy: string, exitCode: number): boolean => policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
