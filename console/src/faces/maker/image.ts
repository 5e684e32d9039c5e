/** The URL of a drawing for an image element. */
export const imageOf = (drawing: string) => `data:image/svg+xml,${encodeURIComponent(drawing)}`;
