/** Asks the page to explain what it shows, or to stop doing so. */
export const explainEvent = 'quartermaster:explain';

/** Asks every table that holds its rows to let them move. */
export const releaseEvent = 'quartermaster:release';
