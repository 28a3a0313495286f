import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import {
  ListPodResourcesRequestSchema,
  type ListPodResourcesResponse,
  ListPodResourcesResponseSchema,
} from '@quartermaster/api/pod-resources';

export interface HeldDevice {
  readonly name: string;
  readonly namespace: string;
  readonly container: string;
  readonly resourceName: string;
  readonly deviceId: string;
}

/** As the kubelet offers it: the bare service on a socket. Returns what ends it. */
export async function startPodResources(
  socket: string,
  { name, namespace, container, resourceName, deviceId }: HeldDevice,
): Promise<() => void> {
  const lister: ServiceDefinition = {
    list: {
      path: '/v1.PodResourcesLister/List',
      requestStream: false,
      responseStream: false,
      requestSerialize: () => Buffer.alloc(0),
      requestDeserialize: (bytes: Buffer) => fromBinary(ListPodResourcesRequestSchema, bytes),
      responseSerialize: (value: ListPodResourcesResponse) => Buffer.from(toBinary(ListPodResourcesResponseSchema, value)),
      responseDeserialize: (bytes: Buffer) => fromBinary(ListPodResourcesResponseSchema, bytes),
    },
  };
  const containers = [{ name: container, devices: [{ resourceName, deviceIds: [deviceId] }] }];
  const answer = create(ListPodResourcesResponseSchema, { podResources: [{ name, namespace, containers }] });
  const server = new Server();
  server.addService(lister, {
    list: (_call: unknown, reply: (error: null, value: ListPodResourcesResponse) => void) => reply(null, answer),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error)));
  });
  return () => server.forceShutdown();
}
