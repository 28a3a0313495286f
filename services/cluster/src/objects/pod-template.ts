import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { ramInRequestsAnnotation } from '@quartermaster/kube';
import type { Container, ContainerPort, PodSpec, PodTemplateSpec, ResourceRequirements } from '@quartermaster/kube/shapes';
import { placementGate } from '../model/lease-labels.ts';
import { cardVariables, isNvidia } from './card-variables.ts';
import type { LeaseContent } from './desired.ts';
import type { ServiceEnvironment } from './environment.ts';
import type { GpuClaim } from './gpu-claims.ts';
import { nodeAffinity } from './node-affinity.ts';
import { objectLabels } from './object-labels.ts';
import { credentialsName } from './object-names.ts';
import type { ServiceCards } from './planned-service.ts';
import { countedCards, podResources } from './pod-resources.ts';
import { bytesText, countText, cpuText } from './quantities.ts';
import { hasVolumes, podVolumes, volumeMounts } from './volumes.ts';

const configAnnotation = 'quartermaster.dev/config';

/** What the template is made of besides the manifest. */
interface TemplateParts {
  readonly environment: ServiceEnvironment;
  readonly cards: ServiceCards | undefined;
  readonly claim: GpuClaim | undefined;
}

/** Changes only with what its own pods have of the manifest: any change of it replaces them. */
export function podTemplate(content: LeaseContent, service: ManifestService, parts: TemplateParts): PodTemplateSpec {
  const ram = hasVolumes(service, 'ram') ? { [ramInRequestsAnnotation]: 'true' } : {};
  return {
    metadata: {
      labels: objectLabels(content, service.name),
      annotations: { [configAnnotation]: parts.environment.hash, ...ram },
    },
    spec: podSpec(content, service, parts),
  };
}

function podSpec(content: LeaseContent, service: ManifestService, parts: TemplateParts): PodSpec {
  const { settings } = content;
  const pullSecret = service.credentials === undefined ? settings.pullSecret : credentialsName(service.name);
  const volumes = podVolumes(service);
  return {
    schedulingGates: [{ name: placementGate }],
    affinity: nodeAffinity(content, service, parts.cards),
    serviceAccountName: service.name,
    automountServiceAccountToken: service.permissions.length > 0,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: false, seccompProfile: { type: 'RuntimeDefault' } },
    ...(pullSecret !== '' && { imagePullSecrets: [{ name: pullSecret }] }),
    ...(isNvidia(parts.cards) && settings.gpuRuntimeClass !== '' && { runtimeClassName: settings.gpuRuntimeClass }),
    ...(parts.claim !== undefined && { resourceClaims: [parts.claim.reference] }),
    ...(volumes.length > 0 && { volumes }),
    containers: [container(content, service, parts)],
  };
}

function container(content: LeaseContent, service: ManifestService, parts: TemplateParts): Container {
  const { name, image, command, args } = service;
  const mounts = volumeMounts(service);
  const ports = containerPorts(service);
  // The API server stores no empty lists.
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    ...(command.length > 0 && { command }),
    ...(args.length > 0 && { args }),
    // Images ask for all cards by themselves, and where NVIDIA's runtime is the usual one they get them.
    env: [...parts.environment.variables, ...cardVariables(parts.cards)],
    ...(ports.length > 0 && { ports }),
    resources: requirements(content, service, parts),
    ...(mounts.length > 0 && { volumeMounts: mounts }),
    securityContext: {
      privileged: false,
      allowPrivilegeEscalation: false,
      runAsNonRoot: false,
      // With raw packets a pod answers ARP and DNS in place of its neighbours where they share a bridge. Hardly anything needs them: ping works by ping_group_range.
      capabilities: { drop: ['NET_RAW'] },
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

function containerPorts({ exposes }: ManifestService): readonly ContainerPort[] {
  const ports = new Map(exposes.map(({ port, protocol }) => [`${port}/${protocol}`, { containerPort: port, protocol }]));
  return [...ports.values()];
}

function requirements(content: LeaseContent, service: ManifestService, { cards, claim }: TemplateParts): ResourceRequirements {
  const { requests, limits } = podResources(content, service);
  const counted = Object.fromEntries(countedCards(cards).map(([resource, count]) => [resource, countText(count)]));
  const texts = ({ cpuMillis, memoryBytes, ephemeralBytes }: typeof requests): Readonly<Record<string, string>> => ({
    cpu: cpuText(cpuMillis),
    memory: bytesText(memoryBytes),
    // Also where it is 0: of a limit without a request the API server makes a request, which would be counted as sold.
    'ephemeral-storage': bytesText(ephemeralBytes),
    ...counted,
  });
  return {
    requests: texts(requests),
    limits: texts(limits),
    ...(claim !== undefined && { claims: [{ name: claim.reference.name }] }),
  };
}
