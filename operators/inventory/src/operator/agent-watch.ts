import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import { isRead, type ObjectKeyText, type ReadableCache, type StaleCache } from '@quartermaster/kube';
import type { AgentSilence } from '../model/observed.ts';
import { AgentContact, type LookOptions } from '../observe/agent-contact.ts';
import type { ObservedAgent } from '../observe/observe-agent.ts';
import { silenceText } from './silence-text.ts';

/** A cache that also tells how far it can be believed. */
type Followed<P> = ReadableCache<P> & { stale(): StaleCache | undefined };

export interface AgentWatchOptions {
  /** Of the cluster: agents of others are not missed. */
  readonly nodes: Pick<ReadableCache<unknown>, 'get'>;
  readonly agents: Followed<ObservedAgent>;
  readonly hardware: Followed<{ readonly facts: HardwareFacts }>;
  readonly tell: (node: string, silence: AgentSilence | undefined) => void;
}

/** Tells which nodes' agents are not heard of. While the API server is away, nothing is said anew: it is not the agents who are silent. */
export class AgentWatch {
  readonly #options: AgentWatchOptions;
  readonly #contact = new AgentContact();
  readonly #byNode = new Map<string, Map<ObjectKeyText, ObservedAgent>>();
  readonly #told = new Map<string, AgentSilence>(); // node -> as last told
  #expected = new Set<string>(); // nodes, when last looked at

  constructor(options: AgentWatchOptions) {
    this.#options = options;
    options.agents.subscribe({
      added: ({ key, value }) => this.#put(key, value),
      updated: ({ key, value }, before) => {
        if (before.value.node !== value.node) this.#remove(key, before.value);
        this.#put(key, value);
      },
      deleted: ({ key, value }) => this.#remove(key, value),
    });
  }

  /** Looks at all nodes. Call it now and then: a silence grows. */
  look(now: number, options?: LookOptions): void {
    const { nodes, agents, hardware } = this.#options;
    if (!isFollowed(agents) || !isFollowed(hardware)) return;
    const names = [...this.#byNode.keys(), ...Array.from(hardware.entries(), ({ key }) => key)];
    const expected = new Set(names.filter((name) => nodes.get(name) !== undefined));
    for (const node of expected) {
      const own = [...(this.#byNode.get(node)?.values() ?? [])];
      this.#tell(node, this.#contact.look(node, own, hardware.get(node)?.value.facts, now, options));
    }
    for (const node of this.#expected) {
      if (expected.has(node)) continue;
      this.#contact.forget(node);
      this.#tell(node, undefined);
    }
    this.#expected = expected;
  }

  /** Which agents are silent; undefined when none is. */
  problem(): string | undefined {
    const silent = [...this.#told].flatMap(([node, { isBrief, reason }]) => (isBrief ? [] : [{ node, reason }]));
    return silenceText(silent, 'are silent', this.#expected.size);
  }

  get silent(): number {
    return [...this.#told.values()].filter(({ isBrief }) => !isBrief).length;
  }

  #tell(node: string, silence: AgentSilence | undefined): void {
    const before = this.#told.get(node);
    const isSame =
      before?.isBrief === silence?.isBrief && before?.reason === silence?.reason && before?.lastContactAt === silence?.lastContactAt;
    if (isSame) return;
    if (silence === undefined) this.#told.delete(node);
    else this.#told.set(node, silence);
    this.#options.tell(node, silence);
  }

  #put(key: ObjectKeyText, agent: ObservedAgent): void {
    if (agent.node === '') return;
    const own = this.#byNode.get(agent.node) ?? new Map<ObjectKeyText, ObservedAgent>();
    this.#byNode.set(agent.node, own.set(key, agent));
  }

  #remove(key: ObjectKeyText, { node }: ObservedAgent): void {
    const own = this.#byNode.get(node);
    own?.delete(key);
    if (own?.size === 0) this.#byNode.delete(node);
  }
}

function isFollowed(cache: Pick<Followed<unknown>, 'status' | 'stale'>): boolean {
  return isRead(cache.status()) && cache.stale() === undefined;
}
