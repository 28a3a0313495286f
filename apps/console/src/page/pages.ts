import { capacity } from './capacity/capacity.ts';
import type { ConsolePage } from './frame/console-page.ts';
import { hosts } from './hosts/hosts.ts';
import { nodes } from './nodes/nodes.ts';
import { overview } from './overview/overview.ts';
import { pods } from './pods/pods.ts';
import { racks } from './racks/racks.ts';
import { storage } from './storage/storage.ts';

/** Every page, in the order of the side bar. A new page is a folder and a line here. */
export const pages: readonly ConsolePage[] = [capacity, nodes, storage, pods, racks, hosts, overview];
