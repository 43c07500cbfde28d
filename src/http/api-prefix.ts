/** Where the versioned API begins; it is part of every partner's base URL. */
export const apiPrefix = '/api/v1';
