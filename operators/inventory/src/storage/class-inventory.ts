import type { Reason } from '../model/node-inventory.ts';
import type { StorageClassFacts, StorageInventory, StorageReading } from '../model/storage-inventory.ts';
import { performanceClassOf } from './querier/performance-class.ts';
import { storageReason } from './querier/storage-reasons.ts';
import type { Promised } from './querier/volume-ledger.ts';

/** A class with the answer of its querier, if it has one. */
export interface ReadClass {
  readonly facts: StorageClassFacts;
  readonly answer: { readonly querier: string; readonly reading: StorageReading } | undefined;
  readonly promised: Promised;
  /** Why the configuration does not offer it. */
  readonly notListed: Reason | undefined;
}

/** What is published of the classes, sorted by name. Figures are shown of classes that are not offered, too; `missing` ones have none. */
export function inventoryOf(classes: readonly ReadClass[], missing: readonly string[] = []): StorageInventory[] {
  const bySpace = Map.groupBy(classes, spaceOf);
  const found = classes.map((each) => {
    const space = spaceOf(each);
    const others = space === undefined ? [] : (bySpace.get(space) ?? []).filter((other) => other !== each);
    return describe(each, others.map(({ facts }) => facts.name).toSorted());
  });
  return [...found, ...missing.map(absent)].toSorted((a, b) => (a.class < b.class ? -1 : 1));
}

function absent(name: string): StorageInventory {
  const refusal = storageReason('ClassMissing', `cluster_storage lists ${name}, of which the cluster has no StorageClass`);
  return { class: name, provisioner: '', backend: '', promisedBytes: 0, volumes: 0, refusal };
}

const spaceOf = ({ answer }: ReadClass): string | undefined => (answer?.reading.known === true ? answer.reading.space : undefined);

function describe(each: ReadClass, sharesSpaceWith: readonly string[]): StorageInventory {
  const { facts, answer, promised } = each;
  const reading = answer?.reading;
  const performance = performanceClassOf(facts, reading?.known === true ? reading.performance : undefined);
  return {
    class: facts.name,
    provisioner: facts.provisioner,
    backend: answer?.querier ?? '',
    promisedBytes: promised.bytes,
    volumes: promised.volumes,
    performance,
    isDefault: isDefault(facts) || undefined,
    refusal: refusalOf(each),
    ...(reading?.known === true ? figuresOf(reading) : {}),
    sharesSpaceWith: sharesSpaceWith.length === 0 ? undefined : sharesSpaceWith,
  };
}

/** The second is what Kubernetes called it at first, and still heeds. */
const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

const isDefault = ({ annotations }: StorageClassFacts): boolean => defaultAnnotations.some((name) => annotations[name] === 'true');

/** One reason: the first in the order of the table of reasons. */
function refusalOf({ facts, answer, notListed }: ReadClass): Reason | undefined {
  if (notListed !== undefined) return notListed;
  if (answer === undefined) return storageReason('NoQuerier', `provisioner ${facts.provisioner} of class ${facts.name} is not supported`);
  return answer.reading.known ? answer.reading.refusal : answer.reading.reason;
}

function figuresOf(reading: StorageReading & { readonly known: true }): Partial<StorageInventory> {
  const { amount, perNode, replicas, replicasPerNode, ephemeralNodes, beside, silentNodes, largestVolumeBytes, observedAt } = reading;
  return {
    amount,
    observedAt,
    perNode,
    replicas,
    replicasPerNode,
    ephemeralNodes: ephemeralNodes?.length === 0 ? undefined : ephemeralNodes,
    beside,
    silentNodes: silentNodes?.length === 0 ? undefined : silentNodes,
    largestVolumeBytes,
  };
}
