import { clone, create } from '@bufbuild/protobuf';
import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import {
  type BMC,
  BMCSchema,
  type Host,
  HostNicSchema,
  HostSchema,
  HostSourceSchema,
  HostSpecSchema,
  HostStatusSchema,
  MetadataSchema,
} from '@quartermaster/api/private';

/** Facts that are a field of the spec under the same name. */
const specFields = [
  'title',
  'description',
  'rack',
  'rackUnit',
  'rackHeight',
  'class',
  'bootMac',
  'bootIp',
  'serial',
  'systemUuid',
  'link',
  'bcmLink',
] as const;

/**
 * The host as its source says it is: what the facts name is set, everything else stays as stored (what people and controllers wrote). A password that is absent stays,
 * too. Pure, and not normalised yet.
 */
export function hostWithFacts(stored: Host | undefined, facts: HostFacts, source: string): Host {
  const host = stored === undefined ? create(HostSchema) : clone(HostSchema, stored);
  const metadata = (host.metadata ??= create(MetadataSchema));
  const spec = (host.spec ??= create(HostSpecSchema));
  const status = (host.status ??= create(HostStatusSchema));
  if (facts.name !== undefined) metadata.name = facts.name;
  for (const [key, value] of Object.entries(facts.labels)) {
    if (value === '') delete metadata.labels[key];
    else metadata.labels[key] = value;
  }
  Object.assign(spec, Object.fromEntries(specFields.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]]))));
  if (facts.nics !== undefined) spec.nics = facts.nics.items.map((nic) => clone(HostNicSchema, nic));
  if (facts.bmc !== undefined) spec.bmc = withKeptPassword(spec.bmc, facts.bmc);
  status.source = create(HostSourceSchema, { name: source, id: facts.sourceId });
  return host;
}

function withKeptPassword(stored: BMC | undefined, given: BMC): BMC {
  const bmc = clone(BMCSchema, given);
  if (bmc.password !== '' || bmc.passwordRef !== undefined || stored === undefined) return bmc;
  bmc.password = stored.password;
  if (stored.passwordRef !== undefined) bmc.passwordRef = stored.passwordRef;
  return bmc;
}
