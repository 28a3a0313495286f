import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type AddressClaim, addressClaimType } from '@quartermaster/api/address-claim';
import { IpPoolService } from '@quartermaster/api/ip';
import { Leases, OwnerKeys } from '@quartermaster/api/market';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { type KubeClient, kinds } from '@quartermaster/kube';
import { serve, startRpcServer } from '@quartermaster/rpc';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { patience } from '../inventory/operator-cluster.ts';
import { createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';
import { type LeasedCluster, nodeSpec, startSimulatedLeasedCluster } from '../leases/leased-cluster.ts';
import { type Deployed, provider, RunningLeases } from '../leases/running-leases.ts';
import { bodyOf, GatewayClient } from './gateway-client.ts';

/** From which all leases have their addresses. */
export const addressPool = { loadBalancerPools: new Map([['default', ['192.0.2.1-192.0.2.40']]]) };

/** An SDL with one service, which is reached under each of the endpoints at these ports. */
const endpointSdl = (endpoints: Readonly<Record<string, readonly number[]>>): string =>
  stringify({
    version: '2.1',
    endpoints: Object.fromEntries(Object.keys(endpoints).map((name) => [name, { kind: 'ip' }])),
    services: {
      web: {
        image: 'nginx:1',
        expose: Object.entries(endpoints).flatMap(([ip, ports]) => ports.map((port) => ({ port, as: port, to: [{ global: true, ip }] }))),
      },
    },
    profiles: {
      compute: { web: { resources: { cpu: { units: 0.1 }, memory: { size: '64Mi' }, storage: [{ size: '128Mi' }] } } },
      placement: { here: { pricing: { web: { denom: 'uakt', amount: 1_000_000 } } } },
    },
    deployment: { web: { here: { profile: 'web', count: 1 } } },
  });

/** `front:80` -> the address of the Service, `front:80 asks` -> the one that it asks for; and what is declared. */
export async function addressesIn(
  client: KubeClient,
  { namespace }: Pick<Deployed, 'namespace'>,
): Promise<Readonly<Record<string, string>>> {
  const { items } = await client.list(kinds.services, { namespace });
  return Object.fromEntries(
    items.flatMap(({ metadata, spec, status }) => {
      if (spec?.type !== 'LoadBalancer') return [];
      const name = `${metadata?.annotations?.['quartermaster.dev/endpoint']}:${spec.ports?.[0]?.port}`;
      return [[name, status?.loadBalancer?.ingress?.[0]?.ip ?? '']];
    }),
  );
}

export async function declaredIn(client: KubeClient, { namespace }: Pick<Deployed, 'namespace'>): Promise<readonly string[]> {
  const labelSelector = `akash.network/namespace=${namespace}`;
  const { items } = await client.list(providerLeasedIPType, { namespace: 'lease', labelSelector });
  return items.map(({ spec }) => `${spec?.sharing_key}:${spec?.external_port}`).toSorted();
}

export const claimsIn = async (client: KubeClient): Promise<readonly AddressClaim['spec'][]> =>
  (await client.list(addressClaimType)).items.map(({ spec }) => spec);

/** A market, and a provider whose leases have addresses of a pool, and whose gateway serves tenants that show certificates. */
export class AddressSite {
  readonly leases: RunningLeases;
  readonly cluster: LeasedCluster;
  readonly #certificates = new Map<string, IssuedCertificate>(); // owner -> certificate
  readonly #ends: (() => unknown)[];

  private constructor(leases: RunningLeases, ends: (() => unknown)[]) {
    this.leases = leases;
    this.cluster = leases.cluster;
    this.#ends = ends;
  }

  static async start(): Promise<AddressSite> {
    const observedAt = timestampFromMs(Date.now() + 86_400_000);
    const pool = { total: 40n, inUse: 0n, reserved: 0n, free: 40n, observedAt, leases: [] };
    const operator = await startRpcServer({ services: [serve(IpPoolService, { getPool: () => ({ pool }) })] });
    const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)], { addresses: addressPool });
    const args = [`--cluster-ip-operator-address=${operator.address}`, '--gateway-requests-per-second=0'];
    return new AddressSite(await RunningLeases.start(cluster, { args }), [() => operator.stop(0)]);
  }

  /** A lease that runs, and whose Services all have an address. */
  async lease(owner: string, endpoints: Readonly<Record<string, readonly number[]>>): Promise<Deployed> {
    const deployed = await this.leases.run(owner, endpointSdl(endpoints));
    const ports = Object.values(endpoints).flat().length;
    await vi.waitFor(async () => {
      const given = Object.values(await addressesIn(this.cluster.client, deployed));
      if (given.length < ports || given.includes('')) throw new Error(`${deployed.name} has the addresses ${given.join()}`);
    }, patience);
    return deployed;
  }

  /** What the gateway answers to the owner. */
  async ask(
    deployed: Deployed,
    path: string,
    body?: object,
    owner = deployed.owner,
  ): Promise<{ readonly status: number; readonly body: Body }> {
    const client = new GatewayClient(await this.#gateway(deployed));
    const shown = { certificate: await this.#certificate(owner) };
    const asked = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await client.ask({ path, shown, ...asked });
    client.close();
    return { status: answer.status, body: bodyOf<Body>(answer) };
  }

  /** Asks for addresses to be moved to this lease. */
  async migrate(
    to: Deployed,
    endpoints: readonly string[],
    { owner, ...more }: { readonly owner?: string; readonly source_dseq?: string } = {},
  ) {
    const { dseq, gseq } = to.order;
    const body = { endpoints_to_migrate: endpoints, destination_dseq: String(dseq), destination_gseq: gseq, ...more };
    return await this.ask(to, '/endpoint/migrate', body, owner);
  }

  async status(deployed: Deployed): Promise<Body> {
    const { dseq, gseq, oseq } = deployed.order;
    return (await this.ask(deployed, `/lease/${dseq}/${gseq}/${oseq}/status`)).body;
  }

  async stop(): Promise<void> {
    await this.leases.stop();
    for (const end of this.#ends) await end();
  }

  async #gateway({ id, owner }: Deployed) {
    const leases = this.leases.market.tenant(owner).client(Leases);
    return await vi.waitFor(async () => {
      const gateway = (await leases.get({ id: `${id}-1-1-${provider}` })).object?.status?.delivery?.gateway;
      if (gateway === undefined) throw new Error(`the market does not know where the gateway of ${id} is`);
      return gateway;
    }, patience);
  }

  async #certificate(owner: string): Promise<IssuedCertificate> {
    const known = this.#certificates.get(owner);
    if (known !== undefined) return known;
    const made = await createCertificateAuthority(owner);
    const key = { case: 'certificate', value: made.certificate } as const;
    await this.leases.market
      .tenant(owner)
      .client(OwnerKeys)
      .create({ object: { spec: { key } } });
    this.#certificates.set(owner, made);
    return made;
  }
}

interface Body {
  readonly message?: string;
  readonly errors?: readonly string[];
  readonly ips?: Readonly<Record<string, readonly { readonly ExternalPort: number; readonly IP: string }[]>>;
}
