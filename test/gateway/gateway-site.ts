import { Leases, OwnerKeys } from '@quartermaster/api/market';
import type { ImageRegistry } from '@quartermaster/simulator';
import { vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import { createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { type LeasedCluster, nodeSpec, startSimulatedLeasedCluster } from '../leases/leased-cluster.ts';
import { type Deployed, type LeasesOptions, provider, RunningLeases } from '../leases/running-leases.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { claimsOf, TenantKey } from './tenant-key.ts';

export interface GatewaySiteOptions {
  /** Settings of the cluster service. */
  readonly args?: readonly string[] | undefined;
  /** Programs of containers. */
  readonly images?: ImageRegistry | undefined;
  /** Otherwise a simulated one with two nodes. */
  readonly cluster?: LeasedCluster | undefined;
  readonly marketThrough?: LeasesOptions['marketThrough'];
}

/** An account with a key and a certificate that the market knows. */
export interface SiteTenant {
  readonly owner: string;
  readonly key: TenantKey;
  /** Signs itself, as those of tenants do. */
  readonly certificate: IssuedCertificate;
  /** Has the market forget its key, or its certificate. */
  readonly revoke: { readonly key: () => Promise<void>; readonly certificate: () => Promise<void> };
  /** Of a token that counts for everything of the account unless other claims are given. */
  token(claims?: object): string;
}

export interface GrpcAddress extends GatewayAddress {
  readonly grpcAddress: string;
}

/** Of a path to a lease. */
export const pathOf = ({ order: { dseq, gseq, oseq } }: Pick<Deployed, 'order'>, rest = ''): string =>
  `/lease/${dseq}/${gseq}/${oseq}${rest}`;

/** A certificate that nobody but its owner vouches for. */
export const selfSigned = async (commonName: string): Promise<IssuedCertificate> => await createCertificateAuthority(commonName);

/** A market, and a provider whose gateway serves tenants of leases on a cluster in which pods run. Requests and shells are not limited unless settings say so. */
export class GatewaySite {
  readonly leases: RunningLeases;
  readonly #ends: (() => unknown)[] = [];

  private constructor(leases: RunningLeases) {
    this.leases = leases;
  }

  static async start({ args = [], images, cluster, marketThrough }: GatewaySiteOptions = {}): Promise<GatewaySite> {
    const nodes = [nodeSpec('n-1', 1), nodeSpec('n-2', 2)];
    const runs = cluster ?? (await startSimulatedLeasedCluster(nodes, { images }));
    return new GatewaySite(
      await RunningLeases.start(runs, {
        args: ['--gateway-requests-per-second=0', '--gateway-shells-per-minute=0', ...args],
        marketThrough,
      }),
    );
  }

  async tenant(owner: string): Promise<SiteTenant> {
    const [key, certificate] = [new TenantKey(), await selfSigned(owner)];
    const keys = this.leases.market.tenant(owner).client(OwnerKeys);
    const register = async (value: { case: 'publicKey' | 'certificate'; value: string }): Promise<() => Promise<void>> => {
      const { object } = await keys.create({ object: { spec: { key: value } } });
      return async () => void (await keys.delete({ id: object?.id ?? '' }));
    };
    const revoke = {
      key: await register({ case: 'publicKey', value: key.publicKey }),
      certificate: await register({ case: 'certificate', value: certificate.certificate }),
    };
    return { owner, key, certificate, revoke, token: (claims) => key.token(claimsOf(owner, claims)) };
  }

  /** A lease that runs: a service `web` with two replicas, and `api` with one. */
  async lease(owner: string, { image, hosts }: { readonly image?: string; readonly hosts?: readonly string[] } = {}): Promise<Deployed> {
    const runs = image === undefined ? {} : { image };
    const named = hosts === undefined ? {} : { hosts };
    return await this.leases.run(owner, leaseSdl({ api: runs, web: { count: 2, ...runs, ...named } }));
  }

  /** Where the market tells the tenant of a lease to go; after a restart not where that was before. */
  async address({ id, owner }: Deployed, { other = '' } = {}): Promise<GrpcAddress> {
    const leases = this.leases.market.tenant(owner).client(Leases);
    return await vi.waitFor(async () => {
      const { object } = await leases.get({ id: `${id}-1-1-${provider}` });
      const gateway = object?.status?.delivery?.gateway;
      if (gateway === undefined || gateway.uri === other) throw new Error(`the market does not know where the gateway of ${id} is`);
      const { uri, grpcAddress, certificateAuthority } = gateway;
      return { uri, grpcAddress, certificateAuthority };
    }, patience);
  }

  async client(deployed: Deployed, of: { readonly other?: string } = {}): Promise<GatewayClient> {
    const client = new GatewayClient(await this.address(deployed, of));
    this.#ends.push(() => client.close());
    return client;
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await this.leases.stop();
  }
}
