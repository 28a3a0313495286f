import { type Cache, countsOnNode, type KubeClient, kinds, podRequests, startCache } from '@quartermaster/kube';

interface GpuPod {
  readonly node: string;
  readonly gpus: number;
}

/** Adds up what the pods of each node ask for, at every change that a watch tells, and remembers the most that a node ever had. */
export class GpuLedger {
  readonly #pods: Cache<GpuPod>;
  readonly #asked = new Map<string, number>(); // node -> GPUs
  readonly #most = new Map<string, number>(); // node -> GPUs

  private constructor(pods: Cache<GpuPod>) {
    this.#pods = pods;
    pods.subscribe({
      added: ({ value }) => this.#add(value, 1),
      updated: ({ value }, before) => {
        this.#add(before.value, -1);
        this.#add(value, 1);
      },
      deleted: ({ value }) => this.#add(value, -1),
    });
  }

  static async start(client: KubeClient): Promise<GpuLedger> {
    const project = (pod: NonNullable<(typeof kinds.pods)['shape']>): GpuPod => ({
      node: countsOnNode(pod) ? (pod.spec?.nodeName ?? '') : '',
      gpus: podRequests(pod).extended.get('nvidia.com/gpu') ?? 0,
    });
    const ledger = new GpuLedger(startCache(client, { type: kinds.pods, project }));
    await ledger.#pods.whenSynced();
    return ledger;
  }

  /** node -> the most GPUs that pods on it asked for at any time */
  get most(): ReadonlyMap<string, number> {
    return this.#most;
  }

  async stop(): Promise<void> {
    await this.#pods.stop();
  }

  #add({ node, gpus }: GpuPod, sign: 1 | -1): void {
    if (node === '' || gpus === 0) return;
    const asked = (this.#asked.get(node) ?? 0) + sign * gpus;
    this.#asked.set(node, asked);
    this.#most.set(node, Math.max(this.#most.get(node) ?? 0, asked));
  }
}
