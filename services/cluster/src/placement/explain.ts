import { chosenUnits, classChoices } from './chosen-classes.ts';
import { soldOnce } from './commit-level.ts';
import { type Change, type Fits, fewerOrOthers, type Holding, releasesThatHelp, smaller } from './nearest-changes.ts';
import { needsOf } from './needs.ts';
import { type NodeGroup, nodeGroups } from './node-reasons.ts';
import { type PlacingOptions, place } from './place.ts';
import type { Request } from './request.ts';
import { StepBudget } from './step-budget.ts';
import type { Stock } from './stock.ts';

export interface ExplainOptions extends PlacingOptions {
  /** Reservations that are about to be given back, the first first. */
  readonly releasing?: readonly string[] | undefined;
  /** How many nodes of a group are named. Default 3. */
  readonly namedNodes?: number | undefined;
  /** Whether changes are looked for: where place has no plan. Default true. */
  readonly withChanges?: boolean | undefined;
  /** Who decides; the stock alone unless given. */
  readonly decider?: Decider | undefined;
}

/** Decides by more than there is room for. */
export interface Decider extends Holding {
  /** Its answer, at most at the cost of the trial. */
  readonly fits: (request: Request, trial: StepBudget) => boolean;
}

export interface Explanation {
  /** Every node of the cluster in one of them. Nothing is said for a unit whose volumes can be of no class. */
  readonly nodes: readonly NodeGroup[];
  /** Empty when no single change has it placed. */
  readonly changes: readonly Change[];
}

/** Why a request does or does not fit, and what would. Whether it does is for place to say. */
export function explain(stock: Stock, request: Request, options: ExplainOptions = {}): Explanation {
  const { withChanges = true } = options;
  return { nodes: nodesOf(stock, request, options), changes: withChanges ? changesThatHelp(stock, request, options) : [] };
}

/** What is tried first is what most would do: to try everything may cost too much. */
function changesThatHelp(stock: Stock, request: Request, options: ExplainOptions): readonly Change[] {
  const fits = trials(stock, options);
  return [
    ...fewerOrOthers(stock, request, fits),
    ...releasesThatHelp(options.decider ?? stock, options.releasing ?? [], () => fits(request)),
    ...smaller(request, fits),
  ];
}

/** Steps that trying changes may cost, altogether and each time. What is told is true still once they are spent, but may not be all or not the most that fits. */
const maxEffort = 40_000;
const trialSteps = 2000;

function trials(stock: Stock, options: ExplainOptions): Fits {
  const effort = new StepBudget(maxEffort);
  const isPlaced: Decider['fits'] = options.decider?.fits ?? ((request, trial) => place(stock, request, options, trial).kind === 'plan');
  return (changed) => {
    if (effort.isSpent) return false;
    const trial = new StepBudget(Math.min(options.maxSteps ?? trialSteps, trialSteps));
    const fits = isPlaced(changed, trial);
    effort.note(trial.spent + changed.units.length + 1);
    return fits;
  };
}

/** By the first choice of classes: which of several a volume gets changes little of what is wrong with nodes. */
function nodesOf(stock: Stock, request: Request, { levels = soldOnce, namedNodes = 3 }: ExplainOptions): readonly NodeGroup[] {
  const choices = classChoices(request, stock.storage, []);
  const [units = []] = chosenUnits(choices);
  const chosen = units.filter(({ classes }, at) => classes.length === choices[at]?.volumes.length);
  // Each by itself: whether one replica of one unit has room.
  const needs = chosen.map((unit) => needsOf([unit], stock.storage, levels));
  return nodeGroups(stock, needs, namedNodes);
}
