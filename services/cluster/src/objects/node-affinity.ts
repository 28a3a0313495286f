import type { ManifestService } from '@quartermaster/api/lease-manifest';
import type { Affinity } from '@quartermaster/kube/shapes';
import type { LeaseContent } from './desired.ts';
import { plannedVolume, type ServiceCards } from './planned-service.ts';

const prefix = 'akash.network/';
/** What can stand after the slash of a label's key. The inventory shortens what is longer: the plan's node is enough there. */
const labelName = /^(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** One term, which the leader narrows to the node of the plan when it gives a pod its place. */
export function nodeAffinity(content: LeaseContent, service: ManifestService, cards: ServiceCards | undefined): Affinity {
  const classes = service.resources.volumes.flatMap(({ kind, name }) =>
    kind === 'persistent' ? [`capabilities.storage.class.${plannedVolume(content, service, name).class}`] : [],
  );
  const capabilities = [...modelOf(cards), ...new Set(classes)].filter((name) => labelName.test(name));
  const has = capabilities.map((name) => ({ key: `${prefix}${name}`, operator: 'Exists' }));
  const matchExpressions = [{ key: 'akash.network', operator: 'In', values: ['true'] }, ...has];
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } } };
}

/** The one that was ordered, as the label of its nodes spells it. */
function modelOf({ wants, groups }: Pick<ServiceCards, 'wants' | 'groups'> = { wants: [], groups: [] }): readonly string[] {
  const ordered = new Set(wants.map(({ vendor, model }) => `${vendor}/${model}`.toLowerCase()));
  const models = new Set(groups.map(({ vendor, model }) => `capabilities.gpu.vendor.${vendor}.model.${model}`));
  return ordered.size === 1 && wants[0]?.model !== '*' && models.size === 1 ? [...models] : [];
}
