import type { Plan } from '../placement/plan.ts';
import type { Request } from '../placement/request.ts';
import type { StepBudget } from '../placement/step-budget.ts';
import type { Reason } from '../placement/stock-facts.ts';

/** What Reserve does and CheckFit answers: one function decides both. */
export type Decision = { readonly kind: 'plan'; readonly plan: Plan } | Refused;

export interface Refused {
  readonly kind: 'refused';
  /** `does-not-fit` is certain; `not-found`: the search was ended by its budget; `not-known`: too little is known now; `limit`: bounds on what may be pending. */
  readonly why: 'does-not-fit' | 'not-found' | 'not-known' | 'limit';
  readonly reasons: readonly Reason[];
}

/**
 * The one question. `owner` undefined: somebody who has nothing pending. `except`: the reservation that it would replace. `within`: what placing may cost, where
 * it is less than a request may cost otherwise.
 */
export type Decide = (request: Request, owner?: string, except?: string, within?: StepBudget) => Decision;
