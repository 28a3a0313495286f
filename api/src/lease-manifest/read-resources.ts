import type { ManifestResources, ManifestVolume } from './manifest-group.ts';
import { namePatterns } from './manifest-names.ts';
import { amountOf, checkFields, type Entry, isMissing, listOf, member, textOf, wholeOf } from './untrusted.ts';

/** Of one service, as the SDL has it; and as many mounts. */
export const maxVolumes = 16;
const ids = { min: 1, max: 2 ** 32 - 1 };

/** Of one replica. */
export function readResources(entry: Entry): ManifestResources {
  checkFields(entry, 'give id, cpu, memory and storage');
  const gpu = member(entry, 'gpu');
  return {
    id: wholeOf(member(entry, 'id'), ids, 0),
    cpuMillis: amountOf(member(member(entry, 'cpu'), 'units')),
    memoryBytes: sizeOf(member(entry, 'memory')),
    gpus: isMissing(gpu) ? 0 : amountOf(member(gpu, 'units')),
    gpuAttributes: listOf(member(gpu, 'attributes')).flatMap(gpuAttribute),
    volumes: readVolumes(member(entry, 'storage')),
  };
}

/** Some tools have another name for it. */
function sizeOf(entry: Entry): number {
  const quantity = member(entry, 'quantity');
  return amountOf(isMissing(quantity) ? member(entry, 'size') : quantity);
}

function gpuAttribute(entry: Entry): readonly string[] {
  const key = textOf(member(entry, 'key'));
  if (!namePatterns.gpu.test(key))
    entry.faults.add(`${entry.path}/key`, 'must name cards, as vendor/nvidia/model/a100/ram/80Gi/interface/sxm does');
  // Others are cards that will not do.
  return textOf(member(entry, 'value')) === 'true' ? [key] : [];
}

function readVolumes(list: Entry): readonly ManifestVolume[] {
  const names = new Set<string>();
  const entries = listOf(list);
  if (entries.length > maxVolumes)
    list.faults.add(
      list.path,
      `are ${entries.length}; one service may have at most ${maxVolumes} volumes: drop some, or put more into one`,
    );
  return entries.map((entry) => {
    const name = textOf(member(entry, 'name')) || 'default';
    if (!namePatterns.volume.test(name))
      entry.faults.add(`${entry.path}/name`, 'must have 1 to 63 of a-z, 0-9 and -, and no - at either end');
    else if (names.has(name)) entry.faults.add(`${entry.path}/name`, 'is the name of another volume of the service: give another name');
    names.add(name);
    return { name, bytes: sizeOf(entry), ...kindOf(member(entry, 'attributes')) };
  });
}

function kindOf(list: Entry): Pick<ManifestVolume, 'kind' | 'class'> {
  const attributes = new Map(listOf(list).map((entry) => [textOf(member(entry, 'key')), textOf(member(entry, 'value'))]));
  const named = attributes.get('class');
  if (attributes.get('persistent') !== 'true') return { kind: named === 'ram' ? 'ram' : 'ephemeral', class: '' };
  const storageClass = named ?? 'default';
  if (storageClass === 'ram')
    list.faults.add(list.path, 'are of the class ram and persistent: memory does not persist; choose one of them');
  else if (!namePatterns.storageClass.test(storageClass))
    list.faults.add(list.path, 'have a class that cannot be one: give default, beta1, beta2, beta3 or the name of a storage class');
  return { kind: 'persistent', class: storageClass };
}
