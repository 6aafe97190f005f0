mod pipelines;
