import { toJson } from '@bufbuild/protobuf';
import { type Snapshot, SnapshotSchema, type StorageClass, StorageClassSchema } from '@quartermaster/api/inventory';
import type { Listing, ListView, Look } from '../text/listing.ts';
import { listText } from '../text/table.ts';
import { quantityText, reservationsNote, unknownText } from './amount-text.ts';
import { ageText, staleText } from './freshness-text.ts';

const header = ['CLASS', 'BACKEND', 'PERFORMANCE', 'TOTAL', 'FREE', 'PROMISED', 'REPLICAS', 'OFFERED'];
const wideHeader = [...header, 'PROVISIONER', 'VOLUMES', 'LARGEST VOLUME', 'SHARES SPACE WITH', 'NODES', 'READ'];
const placesShown = 3;

/** Storage classes, offered or not. */
export function storageView(): ListView<Snapshot> {
  return {
    list: (snapshot, look): Listing => ({
      header: look.wide ? wideHeader : header,
      rows: snapshot.storage.map((each) => ({ key: each.name, cells: look.wide ? wideCells(each, look) : cellsOf(each, look) })),
      whenEmpty: 'The cluster has no storage classes.',
      notes: [
        `${snapshot.storage.length === 0 ? '' : `${look.paint.dim(reservationsNote)}\n`}${staleText(snapshot.completeness, look.now)}`,
      ].filter((note) => note !== ''),
    }),
    document: (snapshot) => {
      const part = { ...snapshot, nodes: [] };
      const {
        nodes: _nodes,
        totals: _totals,
        ...json
      } = toJson(SnapshotSchema, part, { alwaysEmitImplicit: true }) as Readonly<Record<string, unknown>>;
      return json;
    },
    objects: ({ storage }) => new Map(storage.map((each) => [each.name, toJson(StorageClassSchema, each, { alwaysEmitImplicit: true })])),
  };
}

function cellsOf(each: StorageClass, look: Look): readonly string[] {
  const { amount, refusal, replicas } = each;
  return [
    each.name,
    each.backend === '' ? '-' : each.backend,
    each.performance ?? unknownText,
    amount === undefined ? unknownText : quantityText(amount.capacity, 'bytes', look),
    amount === undefined ? unknownText : quantityText(amount.available, 'bytes', look),
    quantityText(each.promisedBytes, 'bytes', look),
    replicas === undefined ? unknownText : String(replicas),
    refusal === undefined ? look.paint.good('yes') : look.paint.warn(`no: ${refusal.code}`),
  ];
}

function wideCells(each: StorageClass, look: Look): readonly string[] {
  const [offered = '', ...rest] = cellsOf(each, look).toReversed();
  return [
    ...rest.toReversed(),
    each.refusal === undefined ? offered : `${offered}: ${each.refusal.message}`,
    each.provisioner,
    each.volumes.toString(),
    largestText(each, look),
    listText(each.sharesSpaceWith),
    each.nodeLocal ? placesText(each, look) : 'any',
    ageText(each.observedAt, look.now),
  ];
}

/** The nodes with the most left, in as many words as a table bears: `explain class` has all of them. */
function placesText({ perNode }: StorageClass, look: Look): string {
  const places = Object.entries(perNode).toSorted(([a, mine], [b, other]) =>
    mine.available === other.available ? (a < b ? -1 : 1) : mine.available > other.available ? -1 : 1,
  );
  const shown = places.slice(0, placesShown).map(([node, { available }]) => `${node} ${quantityText(available, 'bytes', look)}`);
  return listText(places.length > placesShown ? [...shown, `${places.length - placesShown} more`] : shown);
}

/** The largest single volume that fits: all that is available, unless the backend says less. */
function largestText({ largestVolumeBytes, amount, nodeLocal }: StorageClass, look: Look): string {
  if (largestVolumeBytes !== undefined) return quantityText(largestVolumeBytes, 'bytes', look);
  return amount === undefined || nodeLocal ? unknownText : quantityText(amount.available, 'bytes', look);
}
