import { LeaseRPC, ProviderRPC } from '@quartermaster/api/akash-provider';
import { codeOf, httpStatus } from '@quartermaster/kernel';
import { openRpcChannel } from '@quartermaster/rpc';
import type { Deployed } from '../leases/running-leases.ts';
import type { MatrixRoute } from './access-matrix.ts';
import type { Shown } from './gateway-client.ts';
import type { GrpcAddress } from './gateway-site.ts';

type Client = ReturnType<typeof clientOf>;

/** One way to call a method. */
export interface RpcRoute extends Pick<MatrixRoute, 'route' | 'scope' | 'of' | 'answer'> {
  readonly call: (client: Client, about: { readonly leaseId: Deployed['order'] }) => Promise<unknown>;
}

const names = (service: { readonly typeName: string; readonly methods: readonly { readonly name: string }[] }): readonly string[] =>
  service.methods.map(({ name }) => `${service.typeName}/${name}`);

/** What there is by gRPC. */
export const rpcMethods: readonly string[] = [...names(LeaseRPC), ...names(ProviderRPC)];

const lease = (name: string): string => `${LeaseRPC.typeName}/${name}`;
const provider = (name: string): string => `${ProviderRPC.typeName}/${name}`;
const first = async (answers: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of answers) return;
};
const ofService = (service: 'api' | 'web'): readonly RpcRoute[] => {
  const [of, services] = [{ service }, [service]];
  return [
    { route: lease('ServiceStatus'), scope: 'status', of, call: (client, about) => client.lease.serviceStatus({ ...about, services }) },
    {
      ...{ route: lease('StreamServiceStatus'), scope: 'status', of },
      call: (client, about) => first(client.lease.streamServiceStatus({ ...about, services })),
    },
    { route: lease('ServiceLogs'), scope: 'logs', of, call: (client, about) => client.lease.serviceLogs({ ...about, services }) },
    {
      ...{ route: lease('StreamServiceLogs'), scope: 'logs', of },
      call: (client, about) => first(client.lease.streamServiceLogs({ ...about, services })),
    },
  ];
};

export const rpcRoutes: readonly RpcRoute[] = [
  { route: provider('GetStatus'), call: ({ provider: of }) => of.getStatus({}) },
  { route: provider('StreamStatus'), call: ({ provider: of }) => first(of.streamStatus({})) },
  { route: provider('BidScreening'), answer: 400, call: ({ provider: of }) => of.bidScreening({}) },
  // It is the manifest of no deployment: whoever may send one is told that.
  {
    route: lease('SendManifest'),
    scope: 'send-manifest',
    of: 'whole',
    answer: 412,
    call: ({ lease: of }, about) => of.sendManifest(about),
  },
  { route: lease('ServiceStatus'), scope: 'status', of: 'each', call: ({ lease: of }, about) => of.serviceStatus(about) },
  { route: lease('ServiceLogs'), scope: 'logs', of: 'each', call: ({ lease: of }, about) => of.serviceLogs(about) },
  ...ofService('api'),
  ...ofService('web'),
];

const clientOf = ({ grpcAddress: address, certificateAuthority: ca }: GrpcAddress, { token, certificate }: Shown) => {
  const own = certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key };
  const channel = openRpcChannel({ address, tls: { ca, ...own }, token: token === undefined ? undefined : () => token, tries: 1 });
  return { lease: channel.client(LeaseRPC), provider: channel.client(ProviderRPC), close: () => channel.close() };
};

/** Calls every method with this, and returns what came of it, as the status that HTTP has for it. */
export async function rpcOutcomes(
  address: GrpcAddress,
  shown: Shown,
  { order }: Deployed,
): Promise<readonly (readonly [RpcRoute, number])[]> {
  const client = clientOf(address, shown);
  const calls = rpcRoutes.map(async (route) => {
    // Whose it is, the credential says.
    const answered = route.call(client, { leaseId: { ...order, owner: '' } }).then(
      () => 200,
      (thrown: unknown) => httpStatus[codeOf(thrown)],
    );
    return [route, await answered] as const;
  });
  return await Promise.all(calls).finally(() => client.close());
}
