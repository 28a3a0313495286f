import type { EnvVar } from '@quartermaster/kube/shapes';
import type { ServiceCards } from './planned-service.ts';

/*
 * Runtimes of GPU vendors hand a container every card, and every fabric between cards, that its environment names: whoever wrote the manifest or the image would choose
 * what it gets of the node. So no tenant sets these variables, and each container has values of ours, which count before those of its image and of device plugins.
 */

/** No card at all; not where the device plugin or the driver of NVIDIA says which. */
const noCards: EnvVar = { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' };

/** Devices of the node beside cards, InfiniBand and NVSwitches among them. Cards of one container reach each other over NVLink without them. */
const fabrics = ['NVIDIA_GDS', 'NVIDIA_MOFED', 'NVIDIA_NVSWITCH', 'NVIDIA_GDRCOPY'].map((name): EnvVar => ({ name, value: 'disabled' }));

/** Channels between nodes, and how cards are divided. Without a value: the API server does not store an empty one. */
const empty = ['NVIDIA_IMEX_CHANNELS', 'NVIDIA_MIG_CONFIG_DEVICES', 'NVIDIA_MIG_MONITOR_DEVICES'].map((name): EnvVar => ({ name }));

/** Also with cards of AMD: its device plugin hands out devices and no variable, and what this one names would come on top of them. */
const noneOfAmd: EnvVar = { name: 'AMD_VISIBLE_DEVICES', value: 'none' };

const ofAll: readonly EnvVar[] = [...fabrics, ...empty, noneOfAmd];

const names: ReadonlySet<string> = new Set([noCards, ...ofAll].map(({ name }) => name));

/** AMD's runtime takes any of this prefix as well, and the last of all in the list counts: none of a tenant's may be there. */
const alsoOfAmd = 'DOCKER_RESOURCE_';

export const isCardVariable = (name: string): boolean => names.has(name) || name.startsWith(alsoOfAmd);

/** Of a container with these cards. */
export const cardVariables = (cards: ServiceCards | undefined): readonly EnvVar[] => (isNvidia(cards) ? ofAll : [noCards, ...ofAll]);

/** By what hands them out as well: cards that are taken for another's would be hidden from whoever has ordered them. */
export const isNvidia = (cards: ServiceCards | undefined): boolean =>
  cards !== undefined && [cards.resource, ...cards.groups.map(({ vendor }) => vendor)].some((text) => /nvidia/i.test(text));
