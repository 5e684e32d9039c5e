/**
 * A copy of a project's catalog, in the order of its creators. Every look asks the service whether the copy still holds, by its
 * ETag; those who look at once share a question. While the service is away, the copy stays.
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
      log(`kept, since the service said: ${error.message}`);
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
