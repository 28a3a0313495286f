import { HostAssignments, HostSources } from '@quartermaster/api/fulfillment-extras';
import { Clusters, ClusterTemplates, Hubs } from '@quartermaster/api/private';
import { type Log, StatusError } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { expandScenario, type RackedMachine, type Scenario } from '@quartermaster/simulator';
import { classFacts, hostFacts, RackPlaces } from './machine-facts.ts';

export interface FillDatacenterOptions {
  /** gRPC address of the fulfillment service. */
  readonly address: string;
  /** Of an administrator. */
  readonly token: string;
  readonly scenario: Scenario;
  readonly onProgress: (text: string) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const source = 'scenario';
/** Of one request to the service. */
const atOnce = 500;
/** The cluster that the nodes of the scenario form, and the tenant that owns it: the provider. */
const ownCluster = 'provider-cluster';
const providerTenant = 'system';

/**
 * Brings the machines, templates, hub, tenants and clusters of a scenario into the fulfillment service through its API, as a source and people would.
 * What is there stays as it is, so that a second run changes nothing; what a run that was interrupted left unfinished, the next one finishes.
 */
export async function fillDatacenter(options: FillDatacenterOptions): Promise<void> {
  const channel = openRpcChannel({ address: options.address, token: () => options.token });
  try {
    await new DatacenterFill(channel, options).run();
  } finally {
    channel.close();
  }
}

class DatacenterFill {
  readonly #options: FillDatacenterOptions;
  readonly #channel: RpcChannel;
  readonly #places = new RackPlaces();
  #applied = 0;

  constructor(channel: RpcChannel, options: FillDatacenterOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { scenario } = this.#options;
    const machines = [...expandScenario(scenario).machines()];
    const nodes = machines.filter(({ isNode }) => isNode);
    await this.#applyClasses(machines);
    await this.#applyHosts(nodes);
    await this.#createHub();
    // The nodes' hosts are taken before there are others of their classes.
    await this.#createOwnCluster(nodes);
    await this.#applyHosts(machines.filter(({ isNode }) => !isNode));
    for (const { name, title, description, nodeSets } of scenario.datacenter.templates) {
      const sets = Object.entries(nodeSets).map(([set, { hardware, size }]) => [set, { hostClass: hardware, size }] as const);
      await this.#createTemplate({ id: name, title, description, nodeSets: Object.fromEntries(sets) });
    }
    for (const tenant of scenario.datacenter.tenants) {
      for (const { name, template, nodeSets } of tenant.clusters) {
        const sizes = Object.entries(nodeSets).map(([set, size]) => [set, { size }] as const);
        await this.#createCluster({
          id: `${tenant.name}-${name}`,
          name,
          tenant: tenant.name,
          template,
          nodeSets: Object.fromEntries(sizes),
        });
      }
    }
  }

  async #applyClasses(machines: readonly RackedMachine[]): Promise<void> {
    const kinds = new Map(machines.map((machine) => [machine.kind, machine.hardware])); // kind -> hardware
    const classes = [...kinds].map(([kind, hardware]) => classFacts(kind, hardware));
    const { classes: answers } = await this.#channel.client(HostSources).applyHosts({ source, classes }, this.#call());
    this.#report(answers.map(({ id, message }) => ({ what: id, message })));
  }

  async #applyHosts(machines: readonly RackedMachine[]): Promise<void> {
    for (let start = 0; start < machines.length; start += atOnce) {
      const hosts = machines.slice(start, start + atOnce).map((machine) => {
        this.#applied += 1;
        return hostFacts(machine, this.#places.take(machine.rack, machine.hardware), this.#applied);
      });
      const { hosts: answers } = await this.#channel.client(HostSources).applyHosts({ source, hosts }, this.#call());
      this.#report(answers.map(({ sourceId, message }) => ({ what: sourceId, message })));
      this.#options.onProgress(`${this.#applied} hosts`);
    }
  }

  async #createHub(): Promise<void> {
    const { hub } = this.#options.scenario.datacenter;
    if (hub === undefined) return;
    const { name, namespace, ip } = hub;
    const annotations = { 'quartermaster.dev/simulated': 'nothing is provisioned through this hub: it exists in the scenario only' };
    await unlessThere(
      this.#channel.client(Hubs).create({ object: { id: name, metadata: { name, annotations }, namespace, ip } }, this.#call()),
    );
  }

  async #createOwnCluster(nodes: readonly RackedMachine[]): Promise<void> {
    const kinds = Map.groupBy(nodes, ({ kind }) => kind);
    const sets = [...kinds].map(([kind, alike]) => [kind, { hostClass: kind, size: alike.length }] as const);
    const template = { id: ownCluster, title: 'The cluster of this scenario', description: 'Its nodes are the simulated ones.' };
    await this.#createTemplate({ ...template, nodeSets: Object.fromEntries(sets), tenant: providerTenant });
    await this.#createCluster({ id: ownCluster, name: ownCluster, tenant: providerTenant, template: ownCluster, nodeSets: {} });
  }

  async #createTemplate({ id, tenant, ...rest }: TemplateFacts): Promise<void> {
    const metadata = { name: id, tenants: tenant === undefined ? [] : [tenant] };
    await unlessThere(this.#channel.client(ClusterTemplates).create({ object: { id, metadata, ...rest } }, this.#call()));
  }

  async #createCluster({ id, name, tenant, template, nodeSets }: ClusterFacts): Promise<void> {
    const object = { id, metadata: { name, tenants: [tenant] }, spec: { template, nodeSets } };
    const clusters = this.#channel.client(Clusters);
    const created = await unlessThere(clusters.create({ object }, this.#call()));
    const { object: cluster } = created ?? (await clusters.get({ id }, this.#call()));
    const nodeSetNames = Object.keys(cluster?.spec?.nodeSets ?? {});
    // A claim writes the cluster: one that was written once for each node set is finished, and what became of it since is for others to decide.
    if (Number(cluster?.metadata?.version ?? 0n) >= nodeSetNames.length) return;
    for (const nodeSet of nodeSetNames) await this.#claimHosts(id, nodeSet);
  }

  /** Call after call, since one claims only so many. */
  async #claimHosts(cluster: string, nodeSet: string): Promise<void> {
    const assignments = this.#channel.client(HostAssignments);
    for (;;) {
      const { claimed, missing } = await assignments.claimHosts({ cluster, nodeSet }, this.#call());
      if (missing === 0) return;
      if (claimed.length > 0) continue;
      this.#options.log.warn('scenario: hosts are missing', { cluster, nodeSet, missing });
      return;
    }
  }

  #report(answers: readonly { readonly what: string; readonly message: string }[]): void {
    for (const { what, message } of answers) {
      if (message !== '') this.#options.log.warn('scenario: a machine was not taken', { machine: what, why: message });
    }
  }

  #call(): { readonly signal: AbortSignal } {
    return { signal: this.#options.signal };
  }
}

interface TemplateFacts {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly nodeSets: Readonly<Record<string, { readonly hostClass: string; readonly size: number }>>;
  readonly tenant?: string;
}

interface ClusterFacts {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
  readonly template: string;
  /** name -> other size than the template's */
  readonly nodeSets: Readonly<Record<string, { readonly size: number }>>;
}

/** What was created; undefined when it was there already. */
async function unlessThere<T>(creation: Promise<T>): Promise<T | undefined> {
  try {
    return await creation;
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.code === 'already_exists') return undefined;
    throw thrown;
  }
}
