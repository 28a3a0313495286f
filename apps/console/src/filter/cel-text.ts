/** A literal of the filter language: its escapes are those of JSON. */
export const celText = (text: string): string => JSON.stringify(text);
