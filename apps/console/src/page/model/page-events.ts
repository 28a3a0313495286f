/** Asks the page to explain what it shows, or to stop doing so. */
export const explainEvent = 'quartermaster:explain';
