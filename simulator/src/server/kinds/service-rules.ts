import { type Cause, problems } from '../../schema/api-status.ts';
import { type JsonObject, jsonEqual, listAt, numberAt, objectAt, textAt, withFields } from '../object/api-object.ts';
import { filled } from './pod-rules.ts';

const isLoadBalancer = (spec: JsonObject): boolean => spec['type'] === 'LoadBalancer';
const hasNodePorts = (spec: JsonObject): boolean => spec['type'] === 'NodePort' || isLoadBalancer(spec);

/** Whether the server gives the ports of a Service node ports of its own choice. */
export const takesNodePorts = (spec: JsonObject): boolean =>
  spec['type'] === 'NodePort' || (isLoadBalancer(spec) && spec['allocateLoadBalancerNodePorts'] !== false);

export function serviceDefaults(object: JsonObject): JsonObject {
  const spec = filled(objectAt(object, 'spec'), { type: 'ClusterIP', sessionAffinity: 'None' });
  if (spec['type'] === 'ExternalName') return { ...object, spec };
  const ports = listAt(spec, 'ports').map((port) => filled(port, { protocol: 'TCP', targetPort: port['port'] ?? 0 }));
  const outside = hasNodePorts(spec) ? { externalTrafficPolicy: 'Cluster' } : {};
  const allocated = isLoadBalancer(spec) ? { allocateLoadBalancerNodePorts: true } : {};
  const internal = { internalTrafficPolicy: 'Cluster', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', ...outside, ...allocated };
  return { ...object, spec: { ...filled(spec, internal), ...(ports.length === 0 ? {} : { ports }) } };
}

/** What was given to a Service stays its own while it needs it, though a writer does not name it; what its new type has no use for goes. */
export function serviceTransition(before: JsonObject, after: JsonObject): JsonObject {
  const [old, now] = [objectAt(before, 'spec'), objectAt(after, 'spec')];
  if (old['type'] === 'ExternalName' || now['type'] === 'ExternalName') return after;
  const address = { clusterIP: old['clusterIP'] ?? '', clusterIPs: old['clusterIPs'] ?? [] };
  const spec = textAt(now, 'clusterIP') === '' ? { ...now, ...address } : now;
  const ports = hasNodePorts(spec) ? keptNodePorts(old, spec) : droppedNodePorts(old, spec);
  return { ...after, spec: { ...withoutLeftovers(old, spec), ...(ports.length === 0 ? {} : { ports }) } };
}

function keptNodePorts(old: JsonObject, now: JsonObject): readonly JsonObject[] {
  const ports = listAt(now, 'ports');
  if (!takesNodePorts(old) || !takesNodePorts(now)) return ports;
  const known = new Map(listAt(old, 'ports').map((port) => [textAt(port, 'name'), numberAt(port, 'nodePort') ?? 0])); // port name -> node port
  const taken = new Set(ports.map((port) => numberAt(port, 'nodePort') ?? 0));
  return ports.map((port) => {
    const nodePort = known.get(textAt(port, 'name')) ?? 0;
    if ((numberAt(port, 'nodePort') ?? 0) !== 0 || taken.has(nodePort) || nodePort === 0) return port;
    taken.add(nodePort);
    return { ...port, nodePort };
  });
}

function droppedNodePorts(old: JsonObject, now: JsonObject): readonly JsonObject[] {
  const known = new Set(listAt(old, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0));
  const isOld = (port: JsonObject): boolean => known.has(numberAt(port, 'nodePort') ?? 0);
  return listAt(now, 'ports').map((port) => (hasNodePorts(old) && isOld(port) ? withFields(port, { nodePort: undefined }) : port));
}

/** Fields that only the former type has, where the writer has left them as they were. */
function withoutLeftovers(old: JsonObject, now: JsonObject): JsonObject {
  const useless = [
    ...(isLoadBalancer(old) && !isLoadBalancer(now) ? ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] : []),
    ...(hasNodePorts(old) && !hasNodePorts(now) ? ['externalTrafficPolicy'] : []),
  ].filter((field) => jsonEqual(old[field], now[field]));
  return withFields(now, Object.fromEntries(useless.map((field) => [field, undefined])));
}

export function serviceUpdateProblems(before: JsonObject, after: JsonObject): Cause[] {
  const [old, now] = [textAt(before, 'spec', 'clusterIP'), textAt(after, 'spec', 'clusterIP')];
  const isFixed = old !== '' && textAt(before, 'spec', 'type') !== 'ExternalName' && textAt(after, 'spec', 'type') !== 'ExternalName';
  return isFixed && old !== now ? [problems.invalid('spec.clusterIPs[0]', now, 'may not change once set')] : [];
}

export function serviceProblems(object: JsonObject): Cause[] {
  const spec = objectAt(object, 'spec');
  const headless = textAt(spec, 'clusterIP') === 'None' || spec['type'] === 'ExternalName';
  const ports = listAt(spec, 'ports');
  const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
  return [
    ...(ports.length === 0 && !headless ? [problems.required('spec.ports')] : []),
    ...ports.flatMap((port, index) =>
      ports.length > 1 && textAt(port, 'name') === '' ? [problems.required(`spec.ports[${index}].name`)] : [],
    ),
    ...(spec['allocateLoadBalancerNodePorts'] !== undefined && !isLoadBalancer(spec)
      ? [problems.forbidden('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer)]
      : []),
  ];
}
