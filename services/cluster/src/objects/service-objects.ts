import { type Expose, externalPortOf, isIngress, type ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { Service, ServicePort } from '@quartermaster/kube/shapes';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectMeta, selectorLabels } from './object-labels.ts';
import { nodePortServiceName } from './object-names.ts';

/** Reached from outside by a port of the cluster's. */
export const isNodePort = (expose: Expose): boolean => expose.global && expose.ip === '' && !isIngress(expose);

/** The Services by which a service is reached, apart from leased addresses: by its own lease and its routes, and from outside. None without a port. */
export function serviceObjects(content: LeaseContent, service: ManifestService): readonly DesiredObject<Service>[] {
  const { name } = service;
  const make = (type: string, serviceName: string, ports: readonly ServicePort[]): readonly DesiredObject<Service>[] =>
    ports.length === 0
      ? []
      : [
          desiredObject(kinds.services, {
            metadata: objectMeta(content, serviceName, name),
            spec: { type, selector: selectorLabels(content, name), ports },
          }),
        ];
  return [
    ...make(
      'ClusterIP',
      name,
      portsOf(service, (expose) => !expose.global || isIngress(expose)),
    ),
    ...make('NodePort', nodePortServiceName(content.group, name), portsOf(service, isNodePort)),
  ];
}

/** Each external port once for each protocol: the first expose has it. */
function portsOf({ exposes }: ManifestService, isMeant: (expose: Expose) => boolean): readonly ServicePort[] {
  const ports = new Map<string, ServicePort>(); // port and protocol -> port
  for (const [index, expose] of exposes.entries()) {
    const port = servicePort(expose, index);
    const key = `${port.port}/${expose.protocol}`;
    if (isMeant(expose) && !ports.has(key)) ports.set(key, port);
  }
  return [...ports.values()];
}

/** `index`: where the expose stands in its service. */
export const servicePort = (expose: Expose, index: number): ServicePort => ({
  name: `${index}-${externalPortOf(expose)}`,
  port: externalPortOf(expose),
  targetPort: expose.port,
  protocol: expose.protocol,
});
