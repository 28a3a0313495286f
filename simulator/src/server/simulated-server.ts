import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, type Log, seededRandom, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { badRequest, statusOf } from '../schema/api-status.ts';
import { builtInKinds, schemaOf } from '../schema/index.ts';
import { type CertificateAuthority, certificateAuthority, type IssuedCertificate } from './access/certificates.ts';
import { Identity, newTokenKey } from './access/identity.ts';
import { kubeconfigYaml } from './access/kubeconfig.ts';
import { rawAnswer, serverHeader } from './answer/answers.ts';
import { ObjectEncoder } from './answer/object-encoder.ts';
import { DefinitionLifecycle } from './housekeeping/definition-lifecycle.ts';
import { makeFirstObjects } from './housekeeping/first-objects.ts';
import { GarbageCollector } from './housekeeping/garbage-collector.ts';
import { Housekeeping } from './housekeeping/housekeeping.ts';
import { NamespaceLifecycle } from './housekeeping/namespace-lifecycle.ts';
import { KindRegistry } from './kinds/kind-registry.ts';
import type { ApiContext } from './request/api-context.ts';
import { Faults } from './request/faults.ts';
import { ProtobufBodies } from './request/protobuf-body.ts';
import { cutWatches, thaw } from './serve/fault-endpoints.ts';
import { RequestRouter } from './serve/request-router.ts';
import { SimulatedMetrics } from './serve/simulated-metrics.ts';
import { Persistence } from './store/persistence.ts';
import { Store } from './store/store.ts';
import { AdmissionPolicies } from './write/admission-policies.ts';
import { ObjectDeleter } from './write/object-deleter.ts';
import { ObjectWriter } from './write/object-writer.ts';
import { ServiceAddresses } from './write/service-addresses.ts';

export interface SimulatedServerOptions {
  /** Any free one unless given. */
  readonly port?: number | undefined;
  /** Keeps all objects and the identity of the server there; nothing is kept unless given. */
  readonly dataDirectory?: string | undefined;
  /** Seeds the chance of faults. */
  readonly seed?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** How many events of each kind are kept for watches and former states; 20 000 unless given. */
  readonly historyLimit?: number | undefined;
  /** How often watches get a bookmark; every minute unless given. For clients whose time passes faster than the server's. */
  readonly bookmarkMs?: number | undefined;
  /** Whether metrics.k8s.io is served, with figures that are made up. Not unless given. */
  readonly metrics?: boolean | undefined;
}

/** A simulator of the Kubernetes API on loopback. */
export interface SimulatedServer {
  /** https://127.0.0.1:port */
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  /** YAML of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly faults: Faults;
  /** A certificate of the server's own authority, for a kubelet or a client. */
  issueCertificate: CertificateAuthority['issue'];
  /** Breaks the connections of all watches, or of those of one kind by its plural. Tells how many there were. */
  cutWatches(resource?: string): number;
  /** Lets watches that a fault had frozen go on. To be called after the fault is removed. */
  resumeWatches(): void;
  /** Forgets all history: watches and pages of before get 410. */
  compact(): void;
  stop(): Promise<void>;
}

interface Secrets {
  readonly authority: IssuedCertificate;
  readonly tokenKey: string;
}

const newSecrets = async (): Promise<Secrets> => {
  const { certificate, key } = await certificateAuthority();
  return { authority: { certificate, key }, tokenKey: newTokenKey() };
};

/** Starts the simulator. Resolves when it serves. */
export async function startSimulatedServer(options: SimulatedServerOptions = {}): Promise<SimulatedServer> {
  const { clock = systemClock, log = silentLog, dataDirectory } = options;
  const store = new Store({ logLimit: options.historyLimit });
  const encoder = new ObjectEncoder(store.parts);
  const persistence = dataDirectory === undefined ? undefined : new Persistence(dataDirectory, store, encoder);
  await persistence?.open();
  const secrets = (await persistence?.secret('identity.json', newSecrets)) ?? (await newSecrets());
  const authority = await certificateAuthority(secrets.authority);
  const [serving, admin, kubeletClient] = await Promise.all([
    authority.issue({
      commonName: 'quartermaster-simulator',
      hosts: ['127.0.0.1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    }),
    authority.issue({ commonName: 'simulator-admin', organizations: ['system:masters'] }),
    authority.issue({ commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] }),
  ]);

  const registry = new KindRegistry();
  addBuiltInKinds(registry);
  const deleter = new ObjectDeleter(store, clock);
  const addresses = new ServiceAddresses(store);
  const writer = new ObjectWriter({
    store,
    clock,
    random: systemRandom,
    complete: (kind, object) => (kind.storageKey === '/services' ? addresses.complete(object) : object),
  });
  const definitions = new DefinitionLifecycle(store, registry, deleter, clock);
  const namespaces = new NamespaceLifecycle({ store, registry, writer, deleter, clock, certificateAuthority: authority.certificate });
  const housekeeping = new Housekeeping(store, [definitions, namespaces, new GarbageCollector(store, registry, deleter)], log);
  definitions.resume();
  makeFirstObjects({ store, registry, writer, clock });

  const api: ApiContext = {
    store,
    registry,
    writer,
    deleter,
    policies: new AdmissionPolicies(store, registry),
    random: systemRandom,
    identity: new Identity({ store, clock, tokenKey: secrets.tokenKey }),
    encoder,
    protobuf: new ProtobufBodies(),
    faults: new Faults(options.seed === undefined ? systemRandom : seededRandom(options.seed)),
    metrics: options.metrics === true ? new SimulatedMetrics(store, registry, clock) : undefined,
    bookmarkMs: options.bookmarkMs,
    clock,
    log,
    watches: new Map(),
    kubeletClient: { ...kubeletClient, authority: authority.certificate },
  };
  const server = await listen(new RequestRouter(api), serving, authority.certificate, options.port ?? 0);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  log.info('simulated API server started', { url });
  return {
    url,
    certificateAuthority: authority.certificate,
    kubeconfig: kubeconfigYaml(url, authority.certificate, admin),
    faults: api.faults,
    issueCertificate: (request) => authority.issue(request),
    cutWatches: (resource) => cutWatches(api, resource),
    resumeWatches: () => thaw(api),
    compact: () => store.compact(),
    stop: async () => {
      for (const watch of [...api.watches.keys()]) watch.end();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      housekeeping.stop();
      persistence?.close();
    },
  };
}

async function listen(router: RequestRouter, serving: IssuedCertificate, authority: string, port: number): Promise<Server> {
  const server = createServer({ cert: serving.certificate, key: serving.key, ca: authority, requestCert: true, rejectUnauthorized: false });
  server.on('request', (request, response) => {
    response.setHeader('server', serverHeader);
    void router.serve(request, response);
  });
  server.on('upgrade', (request, socket, head) => void router.upgrade(request, socket, head));
  server.on('clientError', (_error, socket) => {
    const status = statusOf(badRequest('the request is not HTTP'));
    if (socket.writable) socket.end(rawAnswer(status));
    else socket.destroy();
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.requestTimeout = 0;
  server.keepAliveTimeout = 90_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Events of both groups are one set of objects, stored as the core kind. */
function addBuiltInKinds(registry: KindRegistry): void {
  for (const info of builtInKinds()) {
    const schema = schemaOf(info.group, info.version, info.kind);
    if (info.plural === '' || schema === undefined) continue;
    const storageKey = info.plural === 'events' ? '/events' : `${info.group}/${info.plural}`;
    registry.add({ ...info, listKind: `${info.kind}List`, schema, storageKey });
  }
}
