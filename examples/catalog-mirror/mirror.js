/**
 * Returns a function that resolves with a project's experiences. Each call revalidates the cached copy by its ETag; concurrent
 * calls share one request. While the service is unavailable, the cached copy is returned.
 */
export function createMirror(client, projectId, log) {
  let copy;
  let asking;
  const ask = async () => {
    try {
      const answer = await client.experiences.list(projectId, copy && { etag: copy.etag });
      if (!answer.notModified) copy = answer;
      log(answer.notModified ? 'unchanged' : `${answer.experiences.length} experiences`);
    } catch (error) {
      if (copy === undefined) throw error;
      log(`using the cached copy: ${error.message}`);
    }
    return copy.experiences;
  };
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
