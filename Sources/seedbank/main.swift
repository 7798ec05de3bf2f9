print("seedbank")
