/**
 * The placement beside a first fit that copies the inventory for each reservation, as the existing provider does:
 *
 * reserve-N     reservations of one card a second with N nodes, of which nine of ten are full: decided and entered in the books of each side
 * p99-5000      how long 99 of 100 of these take at most with 5 000 nodes
 * longest-5000  how long the hardest of a stream of large orders takes there, whether it fits, does not, or is given up
 * packed        how much of an empty cluster is sold before the first order of a random stream is refused
 * durable       promises a second on the real API server, with etcd writing to disk, beside a design that makes the same writes one at a time
 */
import { printReport } from '../report.ts';
import { roundsOf } from '../turns.ts';
import { durableMeasure } from './durable.ts';
import { packedMeasure } from './packing.ts';
import { reserveMeasures } from './reserving.ts';

const args = process.argv.slice(2);
const rounds = roundsOf(args, 5);
const measures = [...(await reserveMeasures(rounds)), await packedMeasure(rounds), await durableMeasure(rounds)];
printReport({ bench: 'placement', measures }, args);
