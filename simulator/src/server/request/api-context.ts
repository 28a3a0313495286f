import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Log, Random } from '@quartermaster/kernel';
import type { Identity, User } from '../access/identity.ts';
import type { ObjectEncoder } from '../answer/object-encoder.ts';
import type { WatchStream } from '../answer/watch-stream.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionPolicies } from '../write/admission-policies.ts';
import type { ObjectDeleter } from '../write/object-deleter.ts';
import type { ObjectWriter } from '../write/object-writer.ts';
import type { Faults } from './faults.ts';
import type { ProtobufBodies } from './protobuf-body.ts';
import type { ResourcePath } from './request-info.ts';

/** The parts of the server that requests are served with. */
export interface ApiContext {
  readonly store: Store;
  readonly registry: KindRegistry;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly policies: AdmissionPolicies;
  readonly random: Random;
  readonly identity: Identity;
  readonly encoder: ObjectEncoder;
  readonly protobuf: ProtobufBodies;
  readonly faults: Faults;
  /** Absent where the cluster has no metrics server. */
  readonly metrics: { serve(call: ResourceRequest): void } | undefined;
  /** How often watches get a bookmark. */
  readonly bookmarkMs: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Those that are open, with the plural of their kind. */
  readonly watches: Map<WatchStream, string>;
  /** The certificate with which the server shows itself to kubelets, PEM. */
  readonly kubeletClient: { readonly certificate: string; readonly key: string; readonly authority: string };
}

/** One request for a resource. */
export interface ResourceRequest extends ResourcePath {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly user: User;
}
